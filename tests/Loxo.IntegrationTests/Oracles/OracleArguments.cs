namespace Loxo.IntegrationTests.Oracles;

/// <summary>An argument: the text of a literal, or an expression.</summary>
/// <param name="Type">The name in pg_type.</param>
/// <param name="Literal">The content of the literal; null for an expression.</param>
/// <param name="Sql">An expression of the type.</param>
internal sealed record OracleArgument(string Type, string? Literal, string Sql);

/// <summary>Makes arguments with which most functions do their work instead of failing.</summary>
internal sealed class OracleArguments(string connectionInfo)
{
    /// <summary>A setting of one's own, which no query lists.</summary>
    public const string CustomSetting = "loxo.oracle";

    private const string Lock = "SELECT pg_advisory_lock(4711)";

    private const int MostTuples = 4;

    // An expression begins with '='.
    private static readonly Dictionary<string, string[]> Values = new(StringComparer.Ordinal)
    {
        ["bool"] = ["true", "false"], ["int2"] = ["1"], ["int4"] = ["1", "0", "4711"], ["int8"] = ["4711", "1", "0"], ["float4"] = ["0.5"], ["float8"] = ["0.5", "1"],
        ["numeric"] = ["1.5"], ["text"] = ["t", $"{Lock}::text", "t_pkey", "s"], ["name"] = ["loxo_oracle", "public"], ["char"] = ["a"], ["bytea"] = ["a", "=get_raw_page('t', 0)", "=get_raw_page('t_pkey', 1)"],
        ["oid"] = ["=('t'::regclass::oid)", "=('t_pkey'::regclass::oid)", "=(SELECT min(oid) FROM pg_largeobject_metadata)", "=('s'::regclass::oid)"],
        ["regclass"] = ["t", "t_pkey", "s"], ["regnamespace"] = ["public"], ["regtype"] = ["int4"], ["refcursor"] = ["c"], ["xid"] = ["3"], ["xid8"] = ["3"], ["tid"] = ["(0,1)"],
        ["pg_lsn"] = ["=pg_current_wal_lsn()", "0/1000000"], ["timestamptz"] = ["2000-01-01"], ["interval"] = ["0"], ["tsquery"] = ["a & b"], ["int2vector"] = ["1"], ["_text"] = ["{1}", "{t}"],
        ["_int4"] = ["{1}"], ["_oid"] = ["{1259}"], ["_tid"] = ["{\"(0,1)\"}"], ["anyenum"] = ["=('a'::oracle_enum)"], ["anyarray"] = ["=ARRAY[1]"], ["anyelement"] = ["=1"], ["any"] = ["=1"],
        ["anynonarray"] = ["=1"], ["anycompatible"] = ["=1"], ["anycompatiblearray"] = ["=ARRAY[1]"], ["json"] = ["{\"a\":1}"], ["jsonb"] = ["{\"a\":1}"], ["xml"] = ["<a/>"],
    };

    private readonly Dictionary<string, string[][]> _special = new(StringComparer.Ordinal)
    {
        ["set_config/3"] = [["work_mem", "77kB", "false"], [CustomSetting, "y", "false"], ["search_path", "pg_temp", "false"]],
        ["current_setting/1"] = [["work_mem"]],
        ["ts_stat/1"] = [[$"SELECT 'a'::tsvector FROM ({Lock}) x"]],
        ["ts_stat/2"] = [[$"SELECT 'a'::tsvector FROM ({Lock}) x", "ab"]],
        ["ts_rewrite/2"] = [["a", $"SELECT 'a'::tsquery, 'b'::tsquery FROM ({Lock}) x"]],
        ["query_to_xml/4"] = [[Lock, "true", "true", ""], ["SELECT set_config('work_mem', '77kB', false)", "true", "true", ""]],
        ["query_to_xmlschema/4"] = [[Lock, "true", "true", ""]],
        ["query_to_xml_and_xmlschema/4"] = [[Lock, "true", "true", ""]],
        ["nextval/1"] = [["s"]], ["currval/1"] = [["s"]], ["setval/2"] = [["s", "7"]], ["setval/3"] = [["s", "7", "true"]],
        ["crosstab/1"] = [[$"SELECT 'r', 'c', 'v' FROM ({Lock}) x"]], ["crosstab2/1"] = [[$"SELECT 'r', 'c', 'v' FROM ({Lock}) x"]],
        ["crosstab3/1"] = [[$"SELECT 'r', 'c', 'v' FROM ({Lock}) x"]], ["crosstab4/1"] = [[$"SELECT 'r', 'c', 'v' FROM ({Lock}) x"]],
        ["crosstab/2"] = [[$"SELECT 'r', 'c', 'v' FROM ({Lock}) x", "SELECT 'c'"]],
        ["connectby/5"] = [["t", "id", "id", "1", "0"]], ["connectby/6"] = [["t", "id", "id", "1", "0", "~"]],
        ["pg_replication_origin_session_setup/1"] = [["oracle_origin"]], ["pg_replication_origin_create/1"] = [["oracle_other"]],
        ["pg_replication_origin_progress/2"] = [["oracle_origin", "false"]], ["pg_replication_origin_drop/1"] = [["oracle_other"]],
        ["pg_create_physical_replication_slot/3"] = [["oracle_slot", "true", "true"]],
        ["pg_create_logical_replication_slot/3"] = [["oracle_slot", "pgoutput", "true"]], ["pg_create_logical_replication_slot/4"] = [["oracle_slot", "pgoutput", "true", "false"]],
        ["pg_create_logical_replication_slot/5"] = [["oracle_slot", "pgoutput", "true", "false", "false"]],
        ["pg_read_file/1"] = [["PG_VERSION"]], ["pg_read_binary_file/1"] = [["PG_VERSION"]], ["pg_stat_file/1"] = [["PG_VERSION"]], ["pg_ls_dir/1"] = [["base"]],
        ["lo_import/1"] = [["PG_VERSION"]], ["lo_creat/1"] = [["-1"]], ["lo_create/1"] = [["0"]], ["lo_from_bytea/2"] = [["0", "a"]],
        ["gen_salt/1"] = [["md5"]], ["gen_salt/2"] = [["bf", "4"]], ["pgp_sym_encrypt/2"] = [["a", "b"]], ["pg_notify/2"] = [["oracle", "x"]], ["setseed/1"] = [["0.5"]],
        ["pg_logical_emit_message/3"] = [["false", "oracle", "x"]], ["pg_current_logfile/1"] = [["stderr"]], ["pg_stat_reset_shared/1"] = [["archiver"]], ["pg_stat_reset_slru/1"] = [["other"]],
        ["pg_database_size/1"] = [["postgres"], ["1"]], ["pg_tablespace_size/1"] = [["pg_default"], ["1663"]], ["pg_nextoid/3"] = [["pg_class", "oid", "pg_class_oid_index"]],
        ["table_to_xml/4"] = [["t", "true", "true", ""]], ["get_raw_page/2"] = [["t", "0"]], ["get_raw_page/3"] = [["t", "main", "0"]], ["isn_weak/1"] = [["true"]], ["set_limit/1"] = [["0.7"]],
        ["dblink_connect/1"] = [[connectionInfo]], ["dblink_connect/2"] = [["oracle", connectionInfo]], ["dblink_connect_u/1"] = [[connectionInfo]], ["dblink_connect_u/2"] = [["oracle", connectionInfo]],
        ["dblink/2"] = [[connectionInfo, "SELECT 'a'"]], ["dblink_exec/2"] = [[connectionInfo, "SELECT 'a'"]], ["dblink_get_pkey/1"] = [["t"]], ["uuid_generate_v1/0"] = [[]],
        ["verify_heapam/6"] = [["t", "false", "true", "none", "0", "0"]], ["pg_prewarm/5"] = [["t", "buffer", "main", "0", "0"]],
    };

    /// <summary>Makes some lists of arguments for a function; none if there is no value of a type.</summary>
    public IEnumerable<OracleArgument[]> For(OracleFunction function)
    {
        var types = function.Types;
        if (_special.TryGetValue($"{function.Name}/{types.Length}", out var special))
            return special.Select(values => types.Select((type, i) => Argument(type, values[i])).ToArray());
        if (types.Length == 0)
            return [[]];
        var candidates = Array.ConvertAll(types, type => Values.GetValueOrDefault(type) ?? [$"=NULL::\"{type}\""]);
        var tuples = Math.Min(MostTuples, candidates.Max(values => values.Length));
        return Enumerable.Range(0, tuples).Select(tuple => types.Select((type, i) => Argument(type, candidates[i][tuple % candidates[i].Length])).ToArray());
    }

    private static OracleArgument Argument(string type, string value) => value.StartsWith('=')
        ? new OracleArgument(type, null, value[1..])
        : new OracleArgument(type, value, $"{Quote(value)}::{TypeName(type)}");

    /// <summary>A literal.</summary>
    public static string Quote(string value) => $"'{value.Replace("'", "''", StringComparison.Ordinal)}'";

    /// <summary>The type as it can be written in SQL.</summary>
    public static string TypeName(string type) => type switch
    {
        "char" => "\"char\"",
        ['_', ..] => type[1..] + "[]",
        _ => type,
    };
}
