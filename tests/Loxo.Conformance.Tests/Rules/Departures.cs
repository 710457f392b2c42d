namespace Loxo.Conformance.Rules;

/// <summary>A rule that a provider does not keep.</summary>
/// <param name="Driver">The provider.</param>
/// <param name="Reason">What the provider does instead.</param>
/// <param name="Tests">
/// The tests that fail: the name of a test stands for all its cases, with its arguments for one case, and with <c>: Async</c> behind it for
/// one wait mode.
/// </param>
internal sealed record Departure(Driver Driver, string Reason, params string[] Tests);

/// <summary>Rules that other providers do not keep. Loxo keeps all of them.</summary>
internal static class Departures
{
    public static readonly IReadOnlyList<Departure> Listed =
    [
        new(Driver.Npgsql, "Values of enumerations are not checked.",
            "An_undefined_behavior_of_a_batch_is_a_wrong_argument", "An_undefined_type_of_a_command_of_a_batch_is_refused",
            "An_undefined_behavior_is_a_wrong_argument", "An_undefined_type_of_command_is_refused",
            "An_undefined_direction_is_a_wrong_argument", "An_undefined_type_is_a_wrong_argument",
            "An_undefined_version_of_a_row_is_a_wrong_argument"),
        new(Driver.Npgsql, "A position out of range is an ArgumentOutOfRangeException instead of an IndexOutOfRangeException.",
            "A_position_in_a_batch_that_does_not_exist_is_out_of_range", "A_position_that_does_not_exist_is_out_of_range"),
        new(Driver.Npgsql, "A name that is not found is an ArgumentException instead of an IndexOutOfRangeException.",
            "A_name_that_does_not_exist_is_out_of_range(\"\")", "The_name_of_no_parameter_is_out_of_range"),
        new(Driver.Npgsql, "An offset outside of the buffer is an IndexOutOfRangeException instead of an ArgumentException.",
            "Bytes_are_copied_in_pieces", "Characters_are_copied_in_pieces"),
        new(Driver.Npgsql, "A null keyword is an ArgumentException instead of an ArgumentNullException.", "No_keyword_is_a_null_argument"),
        new(Driver.Npgsql, "An unknown keyword is a KeyNotFoundException instead of an ArgumentException.",
            "An_unknown_keyword_is_a_wrong_argument"),
        new(Driver.Npgsql, "A disposed batch executes.", "A_batch_is_disposed_as_often_as_one_likes"),
        new(Driver.Npgsql, "Disposed is not raised.",
            "Disposed_is_raised_when_a_command_is_disposed", "Disposed_is_raised_when_a_connection_is_disposed"),
        new(Driver.Npgsql, "DesignTimeVisible is false.", "A_command_is_visible_in_a_designer"),
        new(Driver.Npgsql, "A time limit of int.MaxValue seconds fails the asynchronous execution.", "A_time_limit_is_not_negative: Async"),
        new(Driver.Npgsql, "Restrictions that a collection does not have are ignored.", "More_restrictions_than_a_collection_has_are_a_wrong_argument"),
        new(Driver.Npgsql, "A token that was cancelled before the call is not looked at.",
            "Opening_with_a_cancelled_token_is_cancelled", "With_a_cancelled_token_no_value_is_read", "With_a_cancelled_token_a_transaction_goes_on"),
        new(Driver.Npgsql, "A parameter cannot be replaced by one of another name.", "A_parameter_is_replaced_by_position_and_by_name"),
        new(Driver.Npgsql, "Contains throws for an object of another type.", "What_cannot_be_in_the_collection_is_not_in_it"),
        new(Driver.Npgsql, "A reader object is reused after it was disposed, and its old references close the new one or throw.",
            "An_old_reader_does_not_close_a_later_one", "Changed_rows_are_counted_and_read_ones_are_not"),
        new(Driver.Npgsql, "Depth and the columns' schema of a closed reader are answered.",
            "The_depth_of_a_closed_reader_is_refused", "A_closed_reader_describes_no_columns"),
        new(Driver.Npgsql, "A transaction that is over keeps its connection.", "A_transaction_that_is_over_has_no_connection"),
        new(Driver.Npgsql, "NULL is an InvalidCastException for nullable types of another kind.", "NULL_is_null_or_DBNull_or_an_invalid_cast"),
        new(Driver.Npgsql, "Empty text as a character is an NpgsqlException, a date out of range an ArgumentOutOfRangeException.",
            "What_cannot_be_converted_is_an_invalid_cast"),

        new(Driver.Sqlite, "Values of enumerations and negative times are not checked.",
            "An_undefined_behavior_is_a_wrong_argument", "An_undefined_source_of_updates_is_refused", "An_undefined_type_is_a_wrong_argument",
            "An_undefined_version_of_a_row_is_a_wrong_argument", "A_time_limit_is_not_negative"),
        new(Driver.Sqlite, "CloseConnection is forgotten when the execution fails.",
            "CloseConnection_holds_when_a_value_could_not_be_sent", "CloseConnection_holds_when_the_reader_could_not_be_opened"),
        new(Driver.Sqlite, "KeyInfo and SchemaOnly are ignored.", "KeyInfo_tells_the_key", "SchemaOnly_tells_the_columns_and_runs_nothing"),
        new(Driver.Sqlite, "A command with an open reader refuses its own connection.", "A_command_is_not_changed_under_its_reader"),
        new(Driver.Sqlite, "Defaults of a command differ.",
            "A_command_is_visible_in_a_designer", "A_command_of_the_users_updates_rows_from_its_results_and_outputs"),
        new(Driver.Sqlite, "A command without text does nothing.", "A_command_without_text_does_not_run"),
        new(Driver.Sqlite, "A connection has any number of open readers.", "A_connection_has_one_open_reader"),
        new(Driver.Sqlite, "Disposed commands, connections and data sources can be used.",
            "A_disposed_command_does_not_run", "A_disposed_connection_does_not_open", "A_disposed_data_source_opens_no_connection"),
        new(Driver.Sqlite, "A command closes its reader when it is disposed.", "A_reader_outlives_its_command"),
        new(Driver.Sqlite, "Errors have no SQLSTATE.", "An_error_of_the_database_tells_its_SQLSTATE"),
        new(Driver.Sqlite, "A statement that changes no rows by its nature counts as 0.", "What_changes_no_rows_by_its_nature_counts_as_minus_one"),
        new(Driver.Sqlite, "Opening needs no connection string, and opening twice does nothing.",
            "A_connection_without_a_string_is_not_opened", "An_open_connection_is_not_opened_again"),
        new(Driver.Sqlite, "The library is part of the program: there is one database, and its version is always known.",
            "The_database_is_changed_only_while_the_connection_is_open", "The_database_of_a_new_connection_is_empty",
            "The_version_of_the_server_is_known_while_the_connection_is_open"),
        new(Driver.Sqlite, "Keys lists all keywords, and Count those that are set.", "Keys_and_values_go_together"),
        new(Driver.Sqlite, "A position out of range is an ArgumentOutOfRangeException instead of an IndexOutOfRangeException.",
            "A_column_is_described_as_long_as_its_result_is_open(\"GetDataTypeName\")",
            "A_column_is_described_as_long_as_its_result_is_open(\"GetFieldType\")",
            "A_column_is_described_as_long_as_its_result_is_open(\"GetProviderSpecificFieldType\")",
            "A_column_that_does_not_exist_is_out_of_range", "A_position_that_does_not_exist_is_out_of_range"),
        new(Driver.Sqlite, "A column's name that is not found is an ArgumentOutOfRangeException, and one found without its case twice is refused.",
            "A_name_that_does_not_exist_is_out_of_range",
            "A_column_is_found_by_its_exact_name_first"),
        new(Driver.Sqlite, "GetChars and GetValues do not check the array that they are given.",
            "Characters_are_copied_in_pieces", "GetValues_fills_what_there_is_room_for"),
        new(Driver.Sqlite, "NULL as a value is an InvalidOperationException instead of an InvalidCastException.",
            "NULL_has_no_value", "NULL_is_null_or_DBNull_or_an_invalid_cast", "What_cannot_be_converted_is_an_invalid_cast"),
        new(Driver.Sqlite, "Text is converted to numbers, or is a FormatException.", "Text_is_no_value_of_another_type"),
        new(Driver.Sqlite, "GetStream and GetTextReader end the process on a column that is not of a table.", "Bytes_and_text_are_read_as_streams"),
        new(Driver.Sqlite, "A closed reader answers.",
            "The_depth_of_a_closed_reader_is_refused", "Of_a_closed_reader_only_IsClosed_and_RecordsAffected_can_be_asked"),
        new(Driver.Sqlite, "CopyTo takes an array of its own parameters only, and Contains throws for an object of another type.",
            "Parameters_are_copied_and_enumerated_in_order", "What_cannot_be_in_the_collection_is_not_in_it"),
        new(Driver.Sqlite, "AddRange adds what stands before a wrong object.", "What_is_no_parameter_of_the_provider_is_refused"),
        new(Driver.Sqlite, "Parameters have one direction, no precision and no scale, and SourceVersion is Default.",
            "A_clone_is_equal_and_free", "A_new_parameter_has_the_documented_defaults", "What_is_set_through_the_interface_is_kept"),
        new(Driver.Sqlite, "The schema table lacks columns that SqlClient has.", "A_schema_table_has_the_documented_columns"),
        new(Driver.Sqlite, "GetSchemaTable throws without a result.", "Without_a_result_there_is_no_schema_table"),
        new(Driver.Sqlite, "Every transaction is serializable.",
            "A_transaction_has_its_isolation_level(ReadCommitted)", "A_transaction_has_its_isolation_level(ReadUncommitted)",
            "A_transaction_has_its_isolation_level(RepeatableRead)", "A_transaction_has_its_isolation_level(Snapshot)"),
    ];

    private static readonly ILookup<Driver, string> _tests = Listed.SelectMany(one => one.Tests, (one, test) => (one.Driver, test))
        .ToLookup(one => one.Driver, one => one.test);

    /// <summary>Whether the provider is known not to keep a rule.</summary>
    public static bool Contains(Driver driver, WaitMode mode, string test)
    {
        var rule = test.Split('(')[0];
        return new[] { rule, test, $"{rule}: {mode}", $"{test}: {mode}" }.Any(_tests[driver].Contains);
    }
}
