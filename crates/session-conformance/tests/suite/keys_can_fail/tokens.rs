//! Keys about tokens.

use serde_json::json;

use super::{Row, chat};

pub(super) fn rows() -> Vec<Row> {
    let picture = |times: u32| {
        json!([{"_id": "u1", "role": "user", "content": [
            {"type": "image_url", "image_url": {"url": ""}}],
            "_gen": {"field": "content.0.image_url.url", "prefix": "data:image/png;base64,",
                     "repeat": "iVBORw0K", "times": times}}])
    };
    let count = json!({"op": "count", "estimator": {"each": 10, "by_id": {"a2": 30}}});
    let row = |key, right, wrong| Row(chat(), count.clone(), key, right, wrong);
    vec![
        row("tokens", json!(100), json!(80)),
        row("at_least", json!(100), json!(101)),
        row("at_most", json!(100), json!(99)),
        row("each_at_least", json!(10), json!(11)),
        row("each_at_most", json!(30), json!(29)),
        row("per_event_at_least", json!(10), json!(11)),
        row("per_event_at_most", json!(30), json!(29)),
        row("by_id_at_least", json!({"a2": 30}), json!({"a2": 31})),
        row("by_id_at_most", json!({"a2": 30}), json!({"a2": 29})),
        Row(
            picture(4096),
            json!({"op": "count"}),
            "independent_of_payload_size",
            json!(true),
            json!(false),
        ),
    ]
}
