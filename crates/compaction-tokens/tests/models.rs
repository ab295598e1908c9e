//! Models by name.

use compaction_tokens::{Estimators, Lookup, Model, ModelRegistry, RegisterError};

/// A name, and the registered name it is found under. An `=` says that it is found exactly.
#[track_caller]
fn check(registry: &ModelRegistry, name: &str, expected: &str) {
    let found = match registry.find(name) {
        Lookup::Exact(model) => format!("={}", model.name),
        Lookup::Prefix(model) => model.name.to_string(),
        Lookup::Unknown => "unknown".to_owned(),
    };
    assert_eq!(found, expected, "{name:?}");
}

#[test]
fn an_exact_name_comes_before_the_longest_beginning() {
    let mut models = ModelRegistry::new();
    for name in ["gpt", "gpt-4", "gpt-4o", "GPT-4o-Mini"] {
        models.register(Model::new(name, 100)).unwrap();
    }
    check(&models, "gpt-4o", "=gpt-4o");
    check(&models, "  GPT-4O ", "=gpt-4o");
    check(&models, "gpt-4o-mini", "=GPT-4o-Mini");
    check(&models, "gpt-4o-mini-2024-07-18", "GPT-4o-Mini");
    check(&models, "gpt-4o-2024-08-06", "gpt-4o");
    check(&models, "gpt-4-32k", "gpt-4");
    check(&models, "gpt-9", "gpt");
    check(&models, "gp", "unknown");
    check(&models, "", "unknown");
    check(&models, "my-gpt-4o", "unknown");
}

#[test]
fn a_vendor_before_a_slash_and_a_fine_tuned_base_are_understood() {
    let models = ModelRegistry::built_in();
    check(&models, "openai/gpt-4o", "=gpt-4o");
    check(
        &models,
        "openrouter/anthropic/claude-3-5-sonnet",
        "claude-3",
    );
    check(&models, "models/gemini-2.5-pro", "gemini-2");
    check(&models, "ft:gpt-4o:org::id", "=gpt-4o");
    check(&models, "ft:gpt-3.5-turbo-0125:org::id", "gpt-3.5");
    check(&models, "/", "unknown");
    check(&models, "ft:", "unknown");
}

/// Hosts put vendors and places before a name with dots, and write versions with them. Of these
/// nothing was known, or the wrong thing: `anthropic/claude-opus-4.7` was counted as Opus 4 is.
#[test]
fn the_names_of_other_hosts_are_understood() {
    let models = ModelRegistry::built_in();
    for (name, expected) in [
        ("anthropic.claude-3-5-sonnet-20241022-v2:0", "claude-3"),
        ("us.anthropic.claude-sonnet-4-6-v1:0", "claude-sonnet-4-6"),
        (
            "bedrock/us-gov.anthropic.claude-3-7-sonnet-20250219-v1:0",
            "claude-3-7",
        ),
        ("meta.llama3-1-70b-instruct-v1:0", "llama3-1"),
        ("anthropic/claude-3.7-sonnet", "claude-3.7"),
        ("anthropic/claude-opus-4.5", "=claude-opus-4.5"),
        ("anthropic/claude-opus-4.7", "=claude-opus-4.7"),
        ("claude-3-5-sonnet@20240620", "claude-3"),
        ("publishers/google/models/gemini-2.5-flash", "gemini-2"),
        (
            "hf.co/some-one/Llama-3.2-3B-Instruct-GGUF:Q4_K_M",
            "llama-3.2",
        ),
        ("openai/ft:gpt-4o-mini-2024-07-18:org::id", "gpt-4o"),
        ("qwen2.5:7b", "qwen2.5"),
        ("amazon.nova-pro-v1:0", "unknown"),
        ("..", "unknown"),
    ] {
        check(&models, name, expected);
    }
    // However many there are.
    let name = format!("{}gpt-4o", "a.".repeat(1_000_000));
    check(&models, &name, "=gpt-4o");
}

/// A beginning in the middle of a word or of a number is of another model: `adapter-7b` got the
/// 2,049 tokens of `ada`, and `gpt-41`, as deployments are called that may have no dot, those of
/// GPT-4.
#[test]
fn a_beginning_ends_where_a_word_or_a_number_ends() {
    let models = ModelRegistry::built_in();
    for (name, expected) in [
        ("adapter-7b", "unknown"),
        ("ada:ft-org", "ada"),
        ("gpt-41-mini", "unknown"),
        ("gpt-4v", "gpt-4"),
        ("gpt-4-0613", "gpt-4"),
        ("gpt-50", "unknown"),
        ("o11y", "unknown"),
        ("command-r7b-12-2024", "command-r"),
        ("command-aya", "unknown"),
        ("glm-4.5v", "glm-4.5"),
        ("gemma-3n-e4b", "gemma-3"),
    ] {
        check(&models, name, expected);
    }
}

#[test]
fn an_unknown_model_has_no_limit_unless_the_caller_names_one() {
    let found = ModelRegistry::built_in()
        .find("my-own-model")
        .model()
        .cloned();
    assert_eq!(found, None);
    assert_eq!(
        Lookup::Unknown.limit_or(ModelRegistry::DEFAULT_LIMIT),
        4_096
    );
}

#[test]
fn registering_again_replaces_and_gives_back_the_old_one() {
    let mut models = ModelRegistry::new();
    assert_eq!(models.register(Model::new("a", 1)), Ok(None));
    assert_eq!(
        models.register(Model::new("A ", 2)),
        Ok(Some(Model::new("a", 1)))
    );
    assert_eq!(models.find("a").limit_or(0), 2);
    assert_eq!(models.iter().count(), 1);
}

#[test]
fn what_makes_no_sense_is_not_registered() {
    let mut models = ModelRegistry::new();
    for name in ["", " \t"] {
        let refused = models.register(Model::new(name, 1));
        assert_eq!(refused, Err(RegisterError::BlankName));
    }
    let refused = models.register(Model::new("a", 0));
    assert!(
        matches!(refused, Err(RegisterError::ZeroLimit { .. })),
        "{refused:?}"
    );
    for reserve in [10, 11] {
        let refused = models.register(Model::new("a", 10).with_reserve_output(reserve));
        assert!(
            matches!(refused, Err(RegisterError::NoInput { .. })),
            "{refused:?}"
        );
    }
    assert_eq!(models.iter().count(), 0);
}

#[test]
fn every_built_in_model_could_be_registered_and_names_an_estimator() {
    let mut again = ModelRegistry::new();
    for model in ModelRegistry::built_in().iter() {
        assert!(Estimators::by_name(&model.estimator).is_ok(), "{model:?}");
        assert!(model.usable_input() * 3 >= model.limit * 2 - 2, "{model:?}");
        assert_eq!(again.register(model.clone()), Ok(None));
    }
    assert!(again.iter().count() > 130);
}

/// OpenAI's models as tiktoken-rs knows them, an independent source.
#[test]
fn limits_and_encodings_of_openai_models_agree_with_tiktoken() {
    let models = ModelRegistry::built_in();
    for name in [
        "gpt-5",
        "gpt-5-mini",
        "gpt-5.4",
        "gpt-5.4-mini",
        "gpt-5.3-codex-spark",
        "gpt-5.1-codex",
        "gpt-4.1-nano",
        "gpt-4o",
        "gpt-4o-2024-11-20",
        "chatgpt-4o-latest",
        "gpt-4.5-preview",
        "gpt-4-turbo-2024-04-09",
        "gpt-4-0125-preview",
        "gpt-4-1106-preview",
        "gpt-4-32k-0314",
        "gpt-4",
        "gpt-4-0613",
        "gpt-3.5-turbo",
        "gpt-3.5-turbo-0125",
        "gpt-35-turbo",
        "o1",
        "o1-mini-2024-09-12",
        "o1-preview-2024-09-12",
        "o3-mini",
        "o4-mini",
        "gpt-oss-20b",
        "codex-mini-latest",
        "text-davinci-003",
        "davinci",
        "ft:gpt-4o:org::id",
    ] {
        let model = models.find(name).model().unwrap();
        let limit = tiktoken_rs::model::get_context_size(name).unwrap();
        assert_eq!(model.limit, limit as u64, "{name}");
        let encoding = format!("{:?}", tiktoken_rs::tokenizer::get_tokenizer(name).unwrap());
        let ours = model.estimator.replace('_', "");
        assert_eq!(ours, encoding.to_lowercase(), "{name}");
    }
}
