namespace Loxo.IntegrationTests.Fuzz;

/// <summary>A call of every function that the server has built in, with constants for arguments, so that most of them run.</summary>
internal static class FunctionCalls
{
    // pg_proc's arguments by their type names; "internal" and the like have no values, so that those calls fail.
    private const string Query =
        """
        SELECT proname::text, prokind::text, array_to_string(ARRAY(SELECT typname FROM unnest(proargtypes) WITH ORDINALITY a (oid, n) JOIN pg_type t ON t.oid = a.oid ORDER BY n), ' ')
        FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind <> 'p' ORDER BY proname, oid
        """;

    /// <summary>Functions that are plain, but of no use here: they only wait.</summary>
    private static readonly string[] Excluded = ["pg_sleep", "pg_sleep_for", "pg_sleep_until"];

    private static readonly Dictionary<string, string> Samples = new(StringComparer.Ordinal)
    {
        ["bool"] = "true", ["int2"] = "1::int2", ["int4"] = "1", ["int8"] = "1::int8", ["float4"] = "0.5::float4", ["float8"] = "0.5::float8", ["numeric"] = "1.5",
        ["text"] = "'a'", ["varchar"] = "'a'::varchar", ["bpchar"] = "'a'::bpchar", ["name"] = "'utf8'::name", ["char"] = "'a'::\"char\"", ["cstring"] = "'1'::cstring",
        ["bytea"] = "'\\x61'::bytea", ["bit"] = "B'1'", ["varbit"] = "'1'::varbit", ["uuid"] = "'00000000-0000-0000-0000-000000000001'::uuid", ["money"] = "1::money",
        ["date"] = "date '2000-01-01'", ["time"] = "time '12:00'", ["timetz"] = "timetz '12:00+00'", ["timestamp"] = "timestamp '2000-01-01'",
        ["timestamptz"] = "timestamptz '2000-01-01'", ["interval"] = "interval '1 day'", ["json"] = "'{\"a\":1}'::json", ["jsonb"] = "'{\"a\":[1]}'::jsonb",
        ["jsonpath"] = "'$.a'::jsonpath", ["xml"] = "'<a/>'::xml", ["inet"] = "inet '10.0.0.1'", ["cidr"] = "cidr '10.0.0.0/8'", ["macaddr"] = "macaddr '08:00:2b:01:02:03'",
        ["macaddr8"] = "macaddr8 '08:00:2b:01:02:03:04:05'", ["point"] = "point '(1,2)'", ["box"] = "box '(1,2),(0,0)'", ["circle"] = "circle '<(1,2),3>'",
        ["lseg"] = "lseg '[(0,0),(1,2)]'", ["line"] = "line '{1,2,3}'", ["path"] = "path '[(0,0),(1,2)]'", ["polygon"] = "polygon '((0,0),(1,2),(2,0))'",
        ["tsvector"] = "'a:1 b'::tsvector", ["tsquery"] = "'a & b'::tsquery", ["regconfig"] = "'simple'::regconfig", ["regdictionary"] = "'simple'::regdictionary",
        ["oid"] = "'t'::regclass::oid", ["regclass"] = "'t'::regclass", ["regproc"] = "'now'::regproc", ["regprocedure"] = "'now()'::regprocedure",
        ["regtype"] = "'int4'::regtype", ["regnamespace"] = "'public'::regnamespace", ["regrole"] = "'postgres'::regrole", ["xid"] = "'1'::xid", ["xid8"] = "'1'::xid8",
        ["cid"] = "'1'::cid", ["tid"] = "'(0,1)'::tid", ["pg_lsn"] = "'0/1'::pg_lsn", ["pg_snapshot"] = "'1:2:'::pg_snapshot", ["txid_snapshot"] = "'1:2:'::txid_snapshot",
        ["refcursor"] = "'c'::refcursor", ["int4range"] = "'[1,5)'::int4range", ["int8range"] = "'[1,5)'::int8range", ["numrange"] = "'[1,5)'::numrange",
        ["daterange"] = "'[2000-01-01,2000-02-01)'::daterange", ["tsrange"] = "'[2000-01-01,2000-02-01)'::tsrange", ["tstzrange"] = "'[2000-01-01,2000-02-01)'::tstzrange",
        ["anyelement"] = "1", ["anycompatible"] = "1", ["any"] = "1", ["anynonarray"] = "1", ["anycompatiblenonarray"] = "1", ["anyarray"] = "ARRAY[1]",
        ["anycompatiblearray"] = "ARRAY[1]", ["anyrange"] = "'[1,5)'::int4range", ["anycompatiblerange"] = "'[1,5)'::int4range", ["anymultirange"] = "'{[1,5)}'::int4multirange",
        ["anycompatiblemultirange"] = "'{[1,5)}'::int4multirange", ["record"] = "ROW(1, 'a')", ["_text"] = "'{a,b}'::text[]", ["_int4"] = "'{1,2}'::int4[]", ["_oid"] = "'{1259}'::oid[]",
        ["_float8"] = "'{0,1,2}'::float8[]", ["_numeric"] = "'{0,1,2}'::numeric[]", ["_int8"] = "'{0,1}'::int8[]", ["oidvector"] = "'1 2'::oidvector",
        ["int2vector"] = "'1 2'::int2vector", ["aclitem"] = "'postgres=r/postgres'::aclitem", ["_aclitem"] = "'{postgres=r/postgres}'::aclitem[]",
    };

    /// <summary>In the order of their names.</summary>
    public static IEnumerable<string> All(PgConnection connection)
    {
        using var command = new PgCommand(Query, connection);
        using var reader = command.ExecuteReader();
        while (reader.Read())
        {
            var name = reader.GetString(0);
            var types = reader.GetString(2).Split(' ', StringSplitOptions.RemoveEmptyEntries);
            if (Excluded.Contains(name))
                continue;
            var quoted = name.All(c => char.IsAsciiLetterLower(c) || char.IsAsciiDigit(c) || c == '_') ? name : $"\"{name}\"";
            yield return $"{quoted}({string.Join(", ", types.Select(Sample))}){(reader.GetString(1) == "w" ? " OVER ()" : "")}";
        }
    }

    private static string Sample(string type) => Samples.TryGetValue(type, out var sample) ? sample
        : type.EndsWith("multirange", StringComparison.Ordinal) ? $"{type}()"
        : $"NULL::\"{type}\"";
}
