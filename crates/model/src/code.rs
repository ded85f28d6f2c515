//! The catalogue of error codes: one line defines a code's name, its `type` on the wire, and the
//! class of fault. Only `server` knows the HTTP status of a class.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The `type` of an error object: who is to blame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    InvalidRequest,
    Internal,
    Auth,
    System,
}

impl ErrorKind {
    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::InvalidRequest => "invalid_request",
            ErrorKind::Internal => "internal",
            ErrorKind::Auth => "auth",
            ErrorKind::System => "system",
        }
    }
}

/// The class of an error, from which a transport chooses a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorClass {
    BadRequest,
    Unauthenticated,
    Forbidden,
    NotFound,
    Conflict,
    PreconditionFailed,
    TooLarge,
    UnsupportedMedia,
    Storage,
    EditionRequired,
    Internal,
    NotImplemented,
    BadGateway,
    Unavailable,
}

macro_rules! catalogue {
    ($($variant:ident = $name:literal, $kind:ident, $class:ident;)*) => {
        /// An error code of the wire contract.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Code { $($variant),* }

        impl Code {
            /// All codes, in the order of the catalogue.
            pub const ALL: &'static [Code] = &[$(Code::$variant),*];

            pub fn name(self) -> &'static str {
                match self { $(Code::$variant => $name),* }
            }

            pub fn kind(self) -> ErrorKind {
                match self { $(Code::$variant => ErrorKind::$kind),* }
            }

            pub fn class(self) -> ErrorClass {
                match self { $(Code::$variant => ErrorClass::$class),* }
            }

            pub fn from_name(name: &str) -> Option<Code> {
                match name { $($name => Some(Code::$variant),)* _ => None }
            }
        }
    };
}

catalogue! {
    // 400 invalid_request, general
    BadParameter = "bad_parameter", InvalidRequest, BadRequest;
    BadRequest = "bad_request", InvalidRequest, BadRequest;
    MalformedPayload = "malformed_payload", InvalidRequest, BadRequest;
    MissingPayload = "missing_payload", InvalidRequest, BadRequest;
    FeatureNotEnabled = "feature_not_enabled", InvalidRequest, BadRequest;
    InvalidHeaderValue = "invalid_header_value", InvalidRequest, BadRequest;
    InconsistentDocumentChangeHeaders = "inconsistent_document_change_headers", InvalidRequest, BadRequest;
    MaxFieldsLimitExceeded = "max_fields_limit_exceeded", InvalidRequest, BadRequest;
    ResponseTooLarge = "response_too_large", InvalidRequest, BadRequest;
    UnretrievableErrorCode = "unretrievable_error_code", InvalidRequest, BadRequest;
    InvalidSkipCreation = "invalid_skip_creation", InvalidRequest, BadRequest;
    // 400 invalid_request, keys
    InvalidApiKeyActions = "invalid_api_key_actions", InvalidRequest, BadRequest;
    InvalidApiKeyDescription = "invalid_api_key_description", InvalidRequest, BadRequest;
    InvalidApiKeyExpiresAt = "invalid_api_key_expires_at", InvalidRequest, BadRequest;
    InvalidApiKeyIndexes = "invalid_api_key_indexes", InvalidRequest, BadRequest;
    InvalidApiKeyLimit = "invalid_api_key_limit", InvalidRequest, BadRequest;
    InvalidApiKeyName = "invalid_api_key_name", InvalidRequest, BadRequest;
    InvalidApiKeyOffset = "invalid_api_key_offset", InvalidRequest, BadRequest;
    InvalidApiKeyUid = "invalid_api_key_uid", InvalidRequest, BadRequest;
    ImmutableApiKeyActions = "immutable_api_key_actions", InvalidRequest, BadRequest;
    ImmutableApiKeyCreatedAt = "immutable_api_key_created_at", InvalidRequest, BadRequest;
    ImmutableApiKeyExpiresAt = "immutable_api_key_expires_at", InvalidRequest, BadRequest;
    ImmutableApiKeyIndexes = "immutable_api_key_indexes", InvalidRequest, BadRequest;
    ImmutableApiKeyKey = "immutable_api_key_key", InvalidRequest, BadRequest;
    ImmutableApiKeyUid = "immutable_api_key_uid", InvalidRequest, BadRequest;
    ImmutableApiKeyUpdatedAt = "immutable_api_key_updated_at", InvalidRequest, BadRequest;
    MissingApiKeyActions = "missing_api_key_actions", InvalidRequest, BadRequest;
    MissingApiKeyExpiresAt = "missing_api_key_expires_at", InvalidRequest, BadRequest;
    MissingApiKeyIndexes = "missing_api_key_indexes", InvalidRequest, BadRequest;
    IndexScopedApiKeyWithGlobalAction = "index_scoped_api_key_with_global_action", InvalidRequest, BadRequest;
    // 400 invalid_request, indexes
    InvalidIndexCustomMetadata = "invalid_index_custom_metadata", InvalidRequest, BadRequest;
    InvalidIndexLimit = "invalid_index_limit", InvalidRequest, BadRequest;
    InvalidIndexOffset = "invalid_index_offset", InvalidRequest, BadRequest;
    InvalidIndexPrimaryKey = "invalid_index_primary_key", InvalidRequest, BadRequest;
    InvalidIndexUid = "invalid_index_uid", InvalidRequest, BadRequest;
    InvalidIndexFieldsFilter = "invalid_index_fields_filter", InvalidRequest, BadRequest;
    InvalidIndexFieldsFilterAttributePatterns = "invalid_index_fields_filter_attribute_patterns", InvalidRequest, BadRequest;
    InvalidIndexFieldsFilterDisplayed = "invalid_index_fields_filter_displayed", InvalidRequest, BadRequest;
    InvalidIndexFieldsFilterDistinct = "invalid_index_fields_filter_distinct", InvalidRequest, BadRequest;
    InvalidIndexFieldsFilterFilterable = "invalid_index_fields_filter_filterable", InvalidRequest, BadRequest;
    InvalidIndexFieldsFilterRankingRule = "invalid_index_fields_filter_ranking_rule", InvalidRequest, BadRequest;
    InvalidIndexFieldsFilterSearchable = "invalid_index_fields_filter_searchable", InvalidRequest, BadRequest;
    InvalidIndexFieldsFilterSortable = "invalid_index_fields_filter_sortable", InvalidRequest, BadRequest;
    MissingIndexUid = "missing_index_uid", InvalidRequest, BadRequest;
    ImmutableIndexCreatedAt = "immutable_index_created_at", InvalidRequest, BadRequest;
    ImmutableIndexUpdatedAt = "immutable_index_updated_at", InvalidRequest, BadRequest;
    IndexPrimaryKeyAlreadyExists = "index_primary_key_already_exists", InvalidRequest, BadRequest;
    IndexPrimaryKeyMultipleCandidatesFound = "index_primary_key_multiple_candidates_found", InvalidRequest, BadRequest;
    IndexPrimaryKeyNoCandidateFound = "index_primary_key_no_candidate_found", InvalidRequest, BadRequest;
    DuplicateIndexFound = "duplicate_index_found", InvalidRequest, BadRequest;
    InvalidSwapDuplicateIndexFound = "invalid_swap_duplicate_index_found", InvalidRequest, BadRequest;
    InvalidSwapIndexes = "invalid_swap_indexes", InvalidRequest, BadRequest;
    InvalidSwapRename = "invalid_swap_rename", InvalidRequest, BadRequest;
    MissingSwapIndexes = "missing_swap_indexes", InvalidRequest, BadRequest;
    InvalidStatsShowInternalDatabaseSizes = "invalid_stats_show_internal_database_sizes", InvalidRequest, BadRequest;
    InvalidStatsSizeFormat = "invalid_stats_size_format", InvalidRequest, BadRequest;
    // 400 invalid_request, documents
    InvalidDocumentCsvDelimiter = "invalid_document_csv_delimiter", InvalidRequest, BadRequest;
    InvalidDocumentEditionContext = "invalid_document_edition_context", InvalidRequest, BadRequest;
    InvalidDocumentEditionFunctionFilter = "invalid_document_edition_function_filter", InvalidRequest, BadRequest;
    InvalidDocumentFields = "invalid_document_fields", InvalidRequest, BadRequest;
    InvalidDocumentFilter = "invalid_document_filter", InvalidRequest, BadRequest;
    InvalidDocumentGeoField = "invalid_document_geo_field", InvalidRequest, BadRequest;
    InvalidDocumentGeojsonField = "invalid_document_geojson_field", InvalidRequest, BadRequest;
    InvalidDocumentId = "invalid_document_id", InvalidRequest, BadRequest;
    InvalidDocumentIds = "invalid_document_ids", InvalidRequest, BadRequest;
    InvalidDocumentLimit = "invalid_document_limit", InvalidRequest, BadRequest;
    InvalidDocumentOffset = "invalid_document_offset", InvalidRequest, BadRequest;
    InvalidDocumentRetrieveVectors = "invalid_document_retrieve_vectors", InvalidRequest, BadRequest;
    InvalidDocumentSort = "invalid_document_sort", InvalidRequest, BadRequest;
    InvalidDocumentUseNetwork = "invalid_document_use_network", InvalidRequest, BadRequest;
    MissingDocumentEditionFunction = "missing_document_edition_function", InvalidRequest, BadRequest;
    MissingDocumentFilter = "missing_document_filter", InvalidRequest, BadRequest;
    MissingDocumentId = "missing_document_id", InvalidRequest, BadRequest;
    EditDocumentsByFunctionError = "edit_documents_by_function_error", InvalidRequest, BadRequest;
    InvalidVectorDimensions = "invalid_vector_dimensions", InvalidRequest, BadRequest;
    InvalidVectorsType = "invalid_vectors_type", InvalidRequest, BadRequest;
    TooManyVectors = "too_many_vectors", InvalidRequest, BadRequest;
    VectorEmbeddingError = "vector_embedding_error", InvalidRequest, BadRequest;
    // 400 invalid_request, search
    InvalidSearchAttributesToCrop = "invalid_search_attributes_to_crop", InvalidRequest, BadRequest;
    InvalidSearchAttributesToHighlight = "invalid_search_attributes_to_highlight", InvalidRequest, BadRequest;
    InvalidSearchAttributesToRetrieve = "invalid_search_attributes_to_retrieve", InvalidRequest, BadRequest;
    InvalidSearchAttributesToSearchOn = "invalid_search_attributes_to_search_on", InvalidRequest, BadRequest;
    InvalidSearchCropLength = "invalid_search_crop_length", InvalidRequest, BadRequest;
    InvalidSearchCropMarker = "invalid_search_crop_marker", InvalidRequest, BadRequest;
    InvalidSearchBoosts = "invalid_search_boosts", InvalidRequest, BadRequest;
    InvalidSearchAttributeWeights = "invalid_search_attribute_weights", InvalidRequest, BadRequest;
    InvalidSearchDidYouMean = "invalid_search_did_you_mean", InvalidRequest, BadRequest;
    InvalidSearchDistinct = "invalid_search_distinct", InvalidRequest, BadRequest;
    InvalidSearchEmbedder = "invalid_search_embedder", InvalidRequest, BadRequest;
    InvalidSearchFacets = "invalid_search_facets", InvalidRequest, BadRequest;
    InvalidSearchFilter = "invalid_search_filter", InvalidRequest, BadRequest;
    InvalidSearchHighlightPostTag = "invalid_search_highlight_post_tag", InvalidRequest, BadRequest;
    InvalidSearchHighlightPreTag = "invalid_search_highlight_pre_tag", InvalidRequest, BadRequest;
    InvalidSearchHitsPerPage = "invalid_search_hits_per_page", InvalidRequest, BadRequest;
    InvalidSearchHybridFusion = "invalid_search_hybrid_fusion", InvalidRequest, BadRequest;
    InvalidSearchHybridK = "invalid_search_hybrid_k", InvalidRequest, BadRequest;
    InvalidSearchHybridQuery = "invalid_search_hybrid_query", InvalidRequest, BadRequest;
    InvalidSearchLimit = "invalid_search_limit", InvalidRequest, BadRequest;
    InvalidSearchLocales = "invalid_search_locales", InvalidRequest, BadRequest;
    InvalidSearchMatchingStrategy = "invalid_search_matching_strategy", InvalidRequest, BadRequest;
    InvalidSearchMedia = "invalid_search_media", InvalidRequest, BadRequest;
    InvalidSearchMediaAndVector = "invalid_search_media_and_vector", InvalidRequest, BadRequest;
    InvalidSearchOffset = "invalid_search_offset", InvalidRequest, BadRequest;
    InvalidSearchPage = "invalid_search_page", InvalidRequest, BadRequest;
    InvalidSearchPersonalize = "invalid_search_personalize", InvalidRequest, BadRequest;
    InvalidSearchPersonalizeUserContext = "invalid_search_personalize_user_context", InvalidRequest, BadRequest;
    InvalidSearchQ = "invalid_search_q", InvalidRequest, BadRequest;
    InvalidSearchRankingScoreThreshold = "invalid_search_ranking_score_threshold", InvalidRequest, BadRequest;
    InvalidSearchRerank = "invalid_search_rerank", InvalidRequest, BadRequest;
    InvalidSearchRetrieveVectors = "invalid_search_retrieve_vectors", InvalidRequest, BadRequest;
    InvalidSearchSemanticRatio = "invalid_search_semantic_ratio", InvalidRequest, BadRequest;
    InvalidSearchShowMatchesPosition = "invalid_search_show_matches_position", InvalidRequest, BadRequest;
    InvalidSearchShowPerformanceDetails = "invalid_search_show_performance_details", InvalidRequest, BadRequest;
    InvalidSearchShowRankingScore = "invalid_search_show_ranking_score", InvalidRequest, BadRequest;
    InvalidSearchShowRankingScoreDetails = "invalid_search_show_ranking_score_details", InvalidRequest, BadRequest;
    InvalidSearchSort = "invalid_search_sort", InvalidRequest, BadRequest;
    InvalidSearchUseNetwork = "invalid_search_use_network", InvalidRequest, BadRequest;
    InvalidSearchVector = "invalid_search_vector", InvalidRequest, BadRequest;
    MissingSearchHybrid = "missing_search_hybrid", InvalidRequest, BadRequest;
    // 400 invalid_request, facet search
    FacetSearchDisabled = "facet_search_disabled", InvalidRequest, BadRequest;
    MissingFacetSearchFacetName = "missing_facet_search_facet_name", InvalidRequest, BadRequest;
    InvalidFacetSearchExhaustiveFacetCount = "invalid_facet_search_exhaustive_facet_count", InvalidRequest, BadRequest;
    InvalidFacetSearchFacetName = "invalid_facet_search_facet_name", InvalidRequest, BadRequest;
    InvalidFacetSearchName = "invalid_facet_search_name", InvalidRequest, BadRequest;
    InvalidFacetSearchQuery = "invalid_facet_search_query", InvalidRequest, BadRequest;
    // 400 invalid_request, suggestions
    InvalidSuggestAttribute = "invalid_suggest_attribute", InvalidRequest, BadRequest;
    InvalidSuggestFilter = "invalid_suggest_filter", InvalidRequest, BadRequest;
    InvalidSuggestLimit = "invalid_suggest_limit", InvalidRequest, BadRequest;
    InvalidSuggestQ = "invalid_suggest_q", InvalidRequest, BadRequest;
    // 400 invalid_request, similar
    InvalidSimilarAttributesToRetrieve = "invalid_similar_attributes_to_retrieve", InvalidRequest, BadRequest;
    InvalidSimilarEmbedder = "invalid_similar_embedder", InvalidRequest, BadRequest;
    InvalidSimilarFilter = "invalid_similar_filter", InvalidRequest, BadRequest;
    InvalidSimilarId = "invalid_similar_id", InvalidRequest, BadRequest;
    InvalidSimilarLimit = "invalid_similar_limit", InvalidRequest, BadRequest;
    InvalidSimilarOffset = "invalid_similar_offset", InvalidRequest, BadRequest;
    InvalidSimilarRankingScoreThreshold = "invalid_similar_ranking_score_threshold", InvalidRequest, BadRequest;
    InvalidSimilarRetrieveVectors = "invalid_similar_retrieve_vectors", InvalidRequest, BadRequest;
    InvalidSimilarShowPerformanceDetails = "invalid_similar_show_performance_details", InvalidRequest, BadRequest;
    InvalidSimilarShowRankingScore = "invalid_similar_show_ranking_score", InvalidRequest, BadRequest;
    InvalidSimilarShowRankingScoreDetails = "invalid_similar_show_ranking_score_details", InvalidRequest, BadRequest;
    NotFoundSimilarId = "not_found_similar_id", InvalidRequest, BadRequest;
    // 400 invalid_request, multi-search
    InvalidMultiSearchDistinct = "invalid_multi_search_distinct", InvalidRequest, BadRequest;
    InvalidMultiSearchFacetOrder = "invalid_multi_search_facet_order", InvalidRequest, BadRequest;
    InvalidMultiSearchFacets = "invalid_multi_search_facets", InvalidRequest, BadRequest;
    InvalidMultiSearchFacetsByIndex = "invalid_multi_search_facets_by_index", InvalidRequest, BadRequest;
    InvalidMultiSearchFederated = "invalid_multi_search_federated", InvalidRequest, BadRequest;
    InvalidMultiSearchFederationOptions = "invalid_multi_search_federation_options", InvalidRequest, BadRequest;
    InvalidMultiSearchMaxValuesPerFacet = "invalid_multi_search_max_values_per_facet", InvalidRequest, BadRequest;
    InvalidMultiSearchMergeFacets = "invalid_multi_search_merge_facets", InvalidRequest, BadRequest;
    InvalidMultiSearchQueryFacets = "invalid_multi_search_query_facets", InvalidRequest, BadRequest;
    InvalidMultiSearchQueryPagination = "invalid_multi_search_query_pagination", InvalidRequest, BadRequest;
    InvalidMultiSearchQueryPersonalization = "invalid_multi_search_query_personalization", InvalidRequest, BadRequest;
    InvalidMultiSearchQueryPosition = "invalid_multi_search_query_position", InvalidRequest, BadRequest;
    InvalidMultiSearchQueryRankingRules = "invalid_multi_search_query_ranking_rules", InvalidRequest, BadRequest;
    InvalidMultiSearchQueryShowPerformanceDetails = "invalid_multi_search_query_show_performance_details", InvalidRequest, BadRequest;
    InvalidMultiSearchRemote = "invalid_multi_search_remote", InvalidRequest, BadRequest;
    InvalidMultiSearchWeight = "invalid_multi_search_weight", InvalidRequest, BadRequest;
    // 400 invalid_request, settings
    InvalidSettingsDictionary = "invalid_settings_dictionary", InvalidRequest, BadRequest;
    InvalidSettingsDisplayedAttributes = "invalid_settings_displayed_attributes", InvalidRequest, BadRequest;
    InvalidSettingsDistinctAttribute = "invalid_settings_distinct_attribute", InvalidRequest, BadRequest;
    InvalidSettingsEmbedders = "invalid_settings_embedders", InvalidRequest, BadRequest;
    InvalidSettingsFacetSearch = "invalid_settings_facet_search", InvalidRequest, BadRequest;
    InvalidSettingsFaceting = "invalid_settings_faceting", InvalidRequest, BadRequest;
    InvalidSettingsFilterableAttributes = "invalid_settings_filterable_attributes", InvalidRequest, BadRequest;
    InvalidSettingsForeignKeys = "invalid_settings_foreign_keys", InvalidRequest, BadRequest;
    InvalidSettingsIndexChat = "invalid_settings_index_chat", InvalidRequest, BadRequest;
    InvalidSettingsLocalizedAttributes = "invalid_settings_localized_attributes", InvalidRequest, BadRequest;
    InvalidSettingsNonSeparatorTokens = "invalid_settings_non_separator_tokens", InvalidRequest, BadRequest;
    InvalidSettingsPagination = "invalid_settings_pagination", InvalidRequest, BadRequest;
    InvalidSettingsPrefixSearch = "invalid_settings_prefix_search", InvalidRequest, BadRequest;
    InvalidSettingsProximityPrecision = "invalid_settings_proximity_precision", InvalidRequest, BadRequest;
    InvalidSettingsRankingRules = "invalid_settings_ranking_rules", InvalidRequest, BadRequest;
    InvalidSettingsRerankers = "invalid_settings_rerankers", InvalidRequest, BadRequest;
    InvalidSettingsSearchCutoffMs = "invalid_settings_search_cutoff_ms", InvalidRequest, BadRequest;
    InvalidSettingsSearchableAttributes = "invalid_settings_searchable_attributes", InvalidRequest, BadRequest;
    InvalidSettingsSeparatorTokens = "invalid_settings_separator_tokens", InvalidRequest, BadRequest;
    InvalidSettingsSortableAttributes = "invalid_settings_sortable_attributes", InvalidRequest, BadRequest;
    InvalidSettingsStemming = "invalid_settings_stemming", InvalidRequest, BadRequest;
    InvalidSettingsBoosts = "invalid_settings_boosts", InvalidRequest, BadRequest;
    InvalidSettingsAttributeWeights = "invalid_settings_attribute_weights", InvalidRequest, BadRequest;
    InvalidSettingsStopWords = "invalid_settings_stop_words", InvalidRequest, BadRequest;
    InvalidSettingsSynonyms = "invalid_settings_synonyms", InvalidRequest, BadRequest;
    InvalidSettingsTypoTolerance = "invalid_settings_typo_tolerance", InvalidRequest, BadRequest;
    // 400 invalid_request, tasks
    InvalidTaskAfterEnqueuedAt = "invalid_task_after_enqueued_at", InvalidRequest, BadRequest;
    InvalidTaskAfterFinishedAt = "invalid_task_after_finished_at", InvalidRequest, BadRequest;
    InvalidTaskAfterStartedAt = "invalid_task_after_started_at", InvalidRequest, BadRequest;
    InvalidTaskBeforeEnqueuedAt = "invalid_task_before_enqueued_at", InvalidRequest, BadRequest;
    InvalidTaskBeforeFinishedAt = "invalid_task_before_finished_at", InvalidRequest, BadRequest;
    InvalidTaskBeforeStartedAt = "invalid_task_before_started_at", InvalidRequest, BadRequest;
    InvalidTaskCanceledBy = "invalid_task_canceled_by", InvalidRequest, BadRequest;
    InvalidTaskFrom = "invalid_task_from", InvalidRequest, BadRequest;
    InvalidTaskLimit = "invalid_task_limit", InvalidRequest, BadRequest;
    InvalidTaskReverse = "invalid_task_reverse", InvalidRequest, BadRequest;
    InvalidTaskStatuses = "invalid_task_statuses", InvalidRequest, BadRequest;
    InvalidTaskTypes = "invalid_task_types", InvalidRequest, BadRequest;
    InvalidTaskUids = "invalid_task_uids", InvalidRequest, BadRequest;
    InvalidBatchUids = "invalid_batch_uids", InvalidRequest, BadRequest;
    MissingTaskFilters = "missing_task_filters", InvalidRequest, BadRequest;
    // 400 invalid_request, network
    InvalidNetworkLeader = "invalid_network_leader", InvalidRequest, BadRequest;
    InvalidNetworkRemotes = "invalid_network_remotes", InvalidRequest, BadRequest;
    InvalidNetworkSearchApiKey = "invalid_network_search_api_key", InvalidRequest, BadRequest;
    InvalidNetworkSelf = "invalid_network_self", InvalidRequest, BadRequest;
    InvalidNetworkShards = "invalid_network_shards", InvalidRequest, BadRequest;
    InvalidNetworkUrl = "invalid_network_url", InvalidRequest, BadRequest;
    InvalidNetworkWriteApiKey = "invalid_network_write_api_key", InvalidRequest, BadRequest;
    MissingNetworkUrl = "missing_network_url", InvalidRequest, BadRequest;
    NotLeader = "not_leader", InvalidRequest, BadRequest;
    UnknownRemote = "unknown_remote", InvalidRequest, BadRequest;
    RemoteBadRequest = "remote_bad_request", InvalidRequest, BadRequest;
    UnexpectedNetworkPreviousRemotes = "unexpected_network_previous_remotes", InvalidRequest, BadRequest;
    NetworkVersionTooOld = "network_version_too_old", InvalidRequest, BadRequest;
    UnprocessedNetworkTask = "unprocessed_network_task", InvalidRequest, BadRequest;
    // 400 invalid_request, webhooks
    InvalidWebhooks = "invalid_webhooks", InvalidRequest, BadRequest;
    InvalidWebhookHeaders = "invalid_webhook_headers", InvalidRequest, BadRequest;
    InvalidWebhookUrl = "invalid_webhook_url", InvalidRequest, BadRequest;
    InvalidWebhookUuid = "invalid_webhook_uuid", InvalidRequest, BadRequest;
    ImmutableWebhook = "immutable_webhook", InvalidRequest, BadRequest;
    ImmutableWebhookIsEditable = "immutable_webhook_is_editable", InvalidRequest, BadRequest;
    ImmutableWebhookUuid = "immutable_webhook_uuid", InvalidRequest, BadRequest;
    // 400 invalid_request, chat
    InvalidChatCompletionApiKey = "invalid_chat_completion_api_key", InvalidRequest, BadRequest;
    InvalidChatCompletionApiVersion = "invalid_chat_completion_api_version", InvalidRequest, BadRequest;
    InvalidChatCompletionBaseApi = "invalid_chat_completion_base_api", InvalidRequest, BadRequest;
    InvalidChatCompletionDeploymentId = "invalid_chat_completion_deployment_id", InvalidRequest, BadRequest;
    InvalidChatCompletionOrgId = "invalid_chat_completion_org_id", InvalidRequest, BadRequest;
    InvalidChatCompletionPreQueryPrompt = "invalid_chat_completion_pre_query_prompt", InvalidRequest, BadRequest;
    InvalidChatCompletionProjectId = "invalid_chat_completion_project_id", InvalidRequest, BadRequest;
    InvalidChatCompletionPrompts = "invalid_chat_completion_prompts", InvalidRequest, BadRequest;
    InvalidChatCompletionSearchDescriptionPrompt = "invalid_chat_completion_search_description_prompt", InvalidRequest, BadRequest;
    InvalidChatCompletionSearchFilterParamPrompt = "invalid_chat_completion_search_filter_param_prompt", InvalidRequest, BadRequest;
    InvalidChatCompletionSearchIndexUidParamPrompt = "invalid_chat_completion_search_index_uid_param_prompt", InvalidRequest, BadRequest;
    InvalidChatCompletionSearchQueryParamPrompt = "invalid_chat_completion_search_query_param_prompt", InvalidRequest, BadRequest;
    InvalidChatCompletionSource = "invalid_chat_completion_source", InvalidRequest, BadRequest;
    InvalidChatCompletionSystemPrompt = "invalid_chat_completion_system_prompt", InvalidRequest, BadRequest;
    InvalidChatSettingDocumentTemplate = "invalid_chat_setting_document_template", InvalidRequest, BadRequest;
    // 400 invalid_request, export, render, rules
    InvalidExportApiKey = "invalid_export_api_key", InvalidRequest, BadRequest;
    InvalidExportIndexFilter = "invalid_export_index_filter", InvalidRequest, BadRequest;
    InvalidExportIndexOverrideSettings = "invalid_export_index_override_settings", InvalidRequest, BadRequest;
    InvalidExportIndexesPatterns = "invalid_export_indexes_patterns", InvalidRequest, BadRequest;
    InvalidExportPayloadSize = "invalid_export_payload_size", InvalidRequest, BadRequest;
    InvalidExportUrl = "invalid_export_url", InvalidRequest, BadRequest;
    InvalidRenderInput = "invalid_render_input", InvalidRequest, BadRequest;
    InvalidRenderTemplate = "invalid_render_template", InvalidRequest, BadRequest;
    TemplateParsingError = "template_parsing_error", InvalidRequest, BadRequest;
    TemplateRenderingError = "template_rendering_error", InvalidRequest, BadRequest;
    InvalidDynamicSearchRuleActions = "invalid_dynamic_search_rule_actions", InvalidRequest, BadRequest;
    InvalidDynamicSearchRuleActive = "invalid_dynamic_search_rule_active", InvalidRequest, BadRequest;
    InvalidDynamicSearchRuleConditions = "invalid_dynamic_search_rule_conditions", InvalidRequest, BadRequest;
    InvalidDynamicSearchRuleDescription = "invalid_dynamic_search_rule_description", InvalidRequest, BadRequest;
    InvalidDynamicSearchRuleFilter = "invalid_dynamic_search_rule_filter", InvalidRequest, BadRequest;
    InvalidDynamicSearchRuleFilterActive = "invalid_dynamic_search_rule_filter_active", InvalidRequest, BadRequest;
    InvalidDynamicSearchRuleFilterQuery = "invalid_dynamic_search_rule_filter_query", InvalidRequest, BadRequest;
    InvalidDynamicSearchRuleLimit = "invalid_dynamic_search_rule_limit", InvalidRequest, BadRequest;
    InvalidDynamicSearchRuleOffset = "invalid_dynamic_search_rule_offset", InvalidRequest, BadRequest;
    InvalidDynamicSearchRulePriority = "invalid_dynamic_search_rule_priority", InvalidRequest, BadRequest;
    // 400 internal
    UnretrievableDocument = "unretrievable_document", Internal, BadRequest;
    InvalidS3SnapshotRequest = "invalid_s_3_snapshot_request", Internal, BadRequest;
    InvalidS3SnapshotParameters = "invalid_s_3_snapshot_parameters", Internal, BadRequest;
    // 401 auth
    MissingAuthorizationHeader = "missing_authorization_header", Auth, Unauthenticated;
    MissingMasterKey = "missing_master_key", Auth, Unauthenticated;
    // 403 auth
    InvalidApiKey = "invalid_api_key", Auth, Forbidden;
    BrowserNotAllowed = "browser_not_allowed", Auth, Forbidden;
    RemoteInvalidApiKey = "remote_invalid_api_key", Auth, Forbidden;
    // 404 invalid_request
    ApiKeyNotFound = "api_key_not_found", InvalidRequest, NotFound;
    BatchNotFound = "batch_not_found", InvalidRequest, NotFound;
    ChatNotFound = "chat_not_found", InvalidRequest, NotFound;
    DocumentNotFound = "document_not_found", InvalidRequest, NotFound;
    DumpNotFound = "dump_not_found", InvalidRequest, NotFound;
    DynamicSearchRuleNotFound = "dynamic_search_rule_not_found", InvalidRequest, NotFound;
    IndexNotFound = "index_not_found", InvalidRequest, NotFound;
    RenderDocumentNotFound = "render_document_not_found", InvalidRequest, NotFound;
    TaskFileNotFound = "task_file_not_found", InvalidRequest, NotFound;
    TaskNotFound = "task_not_found", InvalidRequest, NotFound;
    WebhookNotFound = "webhook_not_found", InvalidRequest, NotFound;
    // 409 invalid_request
    ApiKeyAlreadyExists = "api_key_already_exists", InvalidRequest, Conflict;
    DumpAlreadyProcessing = "dump_already_processing", InvalidRequest, Conflict;
    IndexAlreadyExists = "index_already_exists", InvalidRequest, Conflict;
    // 412 invalid_request
    ImportTaskAlreadyReceived = "import_task_already_received", InvalidRequest, PreconditionFailed;
    ImportTaskUnknownRemote = "import_task_unknown_remote", InvalidRequest, PreconditionFailed;
    NetworkVersionMismatch = "network_version_mismatch", InvalidRequest, PreconditionFailed;
    ReceiveImportFinishedUnknownRemote = "receive_import_finished_unknown_remote", InvalidRequest, PreconditionFailed;
    // 413 invalid_request
    PayloadTooLarge = "payload_too_large", InvalidRequest, TooLarge;
    // 415 invalid_request
    InvalidContentType = "invalid_content_type", InvalidRequest, UnsupportedMedia;
    MissingContentType = "missing_content_type", InvalidRequest, UnsupportedMedia;
    UnsupportedMediaType = "unsupported_media_type", InvalidRequest, UnsupportedMedia;
    // 422 system
    IoError = "io_error", System, Storage;
    NoSpaceLeftOnDevice = "no_space_left_on_device", System, Storage;
    TooManyOpenFiles = "too_many_open_files", System, Storage;
    // 451 invalid_request
    RequiresEnterpriseEdition = "requires_enterprise_edition", InvalidRequest, EditionRequired;
    // 500 internal
    DatabaseSizeLimitReached = "database_size_limit_reached", Internal, Internal;
    DumpProcessFailed = "dump_process_failed", Internal, Internal;
    IndexCreationFailed = "index_creation_failed", Internal, Internal;
    Internal = "internal", Internal, Internal;
    InvalidState = "invalid_state", Internal, Internal;
    InvalidStoreFile = "invalid_store_file", Internal, Internal;
    // 501 invalid_request
    UnimplementedExternalFunctionCalling = "unimplemented_external_function_calling", InvalidRequest, NotImplemented;
    UnimplementedMultiChoiceChatCompletions = "unimplemented_multi_choice_chat_completions", InvalidRequest, NotImplemented;
    UnimplementedNonStreamingChatCompletions = "unimplemented_non_streaming_chat_completions", InvalidRequest, NotImplemented;
    // 502 system
    RemoteBadResponse = "remote_bad_response", System, BadGateway;
    RemoteCouldNotSendRequest = "remote_could_not_send_request", System, BadGateway;
    RemoteRemoteError = "remote_remote_error", System, BadGateway;
    RemoteTimeout = "remote_timeout", System, BadGateway;
    // 502 internal
    S3SnapshotServerError = "s_3_snapshot_server_error", Internal, BadGateway;
    // 503 system / invalid_request
    TooManySearchRequests = "too_many_search_requests", System, Unavailable;
    ImportTaskWithoutNetworkTask = "import_task_without_network_task", InvalidRequest, Unavailable;
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Code::from_name(&name)
            .ok_or_else(|| serde::de::Error::custom(format!("unknown error code `{name}`")))
    }
}

/// An error as shown to users: in an HTTP answer, or as the `error` of a failed task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct ServiceError {
    pub message: String,
    pub code: Code,
}

impl ServiceError {
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { message: message.into(), code }
    }

    pub fn internal(message: impl fmt::Display) -> Self {
        Self::new(Code::Internal, message.to_string())
    }

    pub fn index_not_found(uid: &str) -> Self {
        Self::new(Code::IndexNotFound, format!("Index `{uid}` not found."))
    }

    /// Adds the name of the index; how errors met while indexing are shown.
    #[must_use]
    pub fn in_index(self, uid: &str) -> Self {
        Self { message: format!("Index `{uid}`: {}", self.message), ..self }
    }

    /// Converts an I/O error. Full disks and exhausted descriptors have their own codes; the rest
    /// is internal.
    pub fn from_io(error: &std::io::Error) -> Self {
        let code = match error.raw_os_error() {
            Some(5) => Code::IoError,
            Some(24) => Code::TooManyOpenFiles,
            Some(28) => Code::NoSpaceLeftOnDevice,
            _ => Code::Internal,
        };
        Self::new(code, error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_errors_have_their_own_codes() {
        for (number, code) in [
            (5, Code::IoError),
            (24, Code::TooManyOpenFiles),
            (28, Code::NoSpaceLeftOnDevice),
            (2, Code::Internal),
        ] {
            let error = std::io::Error::from_raw_os_error(number);
            assert_eq!(ServiceError::from_io(&error).code, code);
        }
    }

    #[test]
    fn the_catalogue_is_complete_and_names_are_found_again() {
        assert_eq!(Code::ALL.len(), 304);
        for &code in Code::ALL {
            assert_eq!(Code::from_name(code.name()), Some(code));
        }
    }
}
