using Loxo.Pool;

namespace Loxo.IntegrationTests.Pool;

/// <summary>Every column of the server's catalogue that can name a function is read by the audit, or is known to need no reading.</summary>
public class AuditedCatalogueTests : OwnDatabase
{
    private const string ByInternalArguments = "the server accepts functions with certain arguments of internal types only, which no harmful function has";

    private const string InDdlOnly = "DDL and utility statements alone call it, and they are not plain";

    private static readonly Dictionary<string, string> Excused = new(StringComparer.Ordinal)
    {
        ["pg_class.relpartbound"] = "bounds are stored as constants",
        ["pg_publication_rel.prqual"] = "runs in the process that sends the publication",
        ["pg_event_trigger.evtfoid"] = "an event trigger's function returns event_trigger, which no harmful function does",
        ["pg_aggregate.aggserialfn"] = ByInternalArguments,
        ["pg_aggregate.aggdeserialfn"] = ByInternalArguments,
        ["pg_am.amhandler"] = ByInternalArguments,
        ["pg_conversion.conproc"] = ByInternalArguments,
        ["pg_foreign_data_wrapper.fdwhandler"] = "a handler returns fdw_handler, which no harmful function does",
        ["pg_foreign_data_wrapper.fdwvalidator"] = InDdlOnly,
        ["pg_language.laninline"] = ByInternalArguments,
        ["pg_language.lanplcallfoid"] = "a handler returns language_handler, which no harmful function does",
        ["pg_language.lanvalidator"] = InDdlOnly,
        ["pg_operator.oprjoin"] = ByInternalArguments,
        ["pg_operator.oprrest"] = ByInternalArguments,
        ["pg_proc.prosupport"] = ByInternalArguments,
        ["pg_transform.trffromsql"] = ByInternalArguments,
        ["pg_transform.trftosql"] = ByInternalArguments,
        ["pg_ts_parser.prsend"] = ByInternalArguments,
        ["pg_ts_parser.prsheadline"] = ByInternalArguments,
        ["pg_ts_parser.prslextype"] = ByInternalArguments,
        ["pg_ts_parser.prsstart"] = ByInternalArguments,
        ["pg_ts_parser.prstoken"] = ByInternalArguments,
        ["pg_ts_template.tmplinit"] = ByInternalArguments,
        ["pg_ts_template.tmpllexize"] = ByInternalArguments,
        ["pg_type.typanalyze"] = ByInternalArguments,
        ["pg_type.typinput"] = "takes cstring, which no harmful function does",
        ["pg_type.typmodin"] = "takes cstring[], which no harmful function does",
        ["pg_type.typmodout"] = "returns cstring, which no harmful function does",
        ["pg_type.typoutput"] = "returns cstring, which no harmful function does",
        ["pg_type.typreceive"] = ByInternalArguments,
        ["pg_type.typsend"] = "takes the type alone and returns bytea, which no harmful function does",
        ["pg_type.typsubscript"] = ByInternalArguments,
    };

    [TestCase("SELECT attrelid::regclass::text, attname FROM pg_attribute JOIN pg_class c ON c.oid = attrelid WHERE atttypid = 'pg_node_tree'::regtype AND relkind = 'r'", 15,
        TestName = "Columns_of_expressions_are_read")]
    [TestCase("SELECT DISTINCT fktable::text, fkcols[1] FROM pg_get_catalog_foreign_keys() WHERE pktable = 'pg_proc'::regclass", 40, TestName = "Columns_that_name_functions_are_read")]
    public void Columns_are_read(string sql, int least)
    {
        using var command = new PgCommand(sql, Connection);
        using var reader = command.ExecuteReader();
        var columns = new List<(string Table, string Column)>();
        while (reader.Read())
            columns.Add((reader.GetString(0), reader.GetString(1)));

        Assert.That(columns, Has.Count.AtLeast(least));
        Assert.That(columns.Where(column => !Excused.ContainsKey($"{column.Table}.{column.Column}") && !IsRead(column.Table, column.Column)), Is.Empty);
        Assert.That(columns.Where(column => Excused.ContainsKey($"{column.Table}.{column.Column}") && IsRead(column.Table, column.Column)), Is.Empty, "excused, but read");
    }

    private static bool IsRead(string table, string column) =>
        System.Text.RegularExpressions.Regex.IsMatch(DatabaseAudit.Query, $@"\b{table}\b") && System.Text.RegularExpressions.Regex.IsMatch(DatabaseAudit.Query, $@"\b{column}\b");
}
