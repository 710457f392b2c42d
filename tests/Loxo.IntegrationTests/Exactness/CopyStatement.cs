namespace Loxo.IntegrationTests.Exactness;

/// <summary>A COPY to or from the client, which an ordinary command refuses, and which the server may refuse in its own way before, in or after copy mode.</summary>
/// <param name="Name">A short name, unique.</param>
/// <param name="Text">The statement.</param>
/// <param name="SqlState">The SQLSTATE of an error that comes before copy mode, which is then the caller's; null if copy mode begins.</param>
/// <param name="User">The role; null for the superuser.</param>
public sealed record CopyStatement(string Name, string Text, string? SqlState = null, string? User = null)
{
    private const string Limited = "proof_limited";

    /// <summary>Raised by the server between CopyInResponse and its first read, or when CopyFail is read, or never.</summary>
    private static readonly CopyStatement[] _from =
    [
        new("table", "COPY c_plain FROM STDIN"),
        new("columns", "COPY c_plain (id) FROM STDIN WHERE id > 3"),
        new("binary", "COPY c_plain FROM STDIN (FORMAT binary)"),
        new("csv with header", "COPY c_plain FROM STDIN (FORMAT csv, HEADER)"),
        new("other encoding", "COPY c_plain FROM STDIN (ENCODING 'LATIN1')"),
        new("view", "COPY c_view FROM STDIN"),
        new("view that can be written", "COPY c_written FROM STDIN"),
        new("view of the system", "COPY pg_locks FROM STDIN"),
        new("materialized view", "COPY c_kept FROM STDIN"),
        new("sequence", "COPY c_sequence FROM STDIN"),
        new("FREEZE", "COPY c_plain FROM STDIN (FREEZE)"),
        new("FREEZE of a partitioned table", "COPY c_parted FROM STDIN (FREEZE)"),
        new("partitioned table", "COPY c_parted FROM STDIN"),
        new("foreign table", "COPY c_foreign FROM STDIN"),
        new("BEFORE STATEMENT trigger that raises", "COPY c_before FROM STDIN"),
        new("BEFORE STATEMENT trigger that raises like a CopyFail", "COPY c_forging FROM STDIN"),
        new("AFTER STATEMENT trigger that raises", "COPY c_after FROM STDIN"),
        new("BEFORE ROW trigger that raises", "COPY c_row FROM STDIN"),
        new("missing table", "COPY c_none FROM STDIN", SqlStates.UndefinedTable),
        new("missing column", "COPY c_plain (nothing) FROM STDIN", SqlStates.UndefinedColumn),
        new("unknown format", "COPY c_plain FROM STDIN (FORMAT nothing)", SqlStates.InvalidParameterValue),
        new("unknown option", "COPY c_plain FROM STDIN (NOTHING true)", SqlStates.SyntaxError),
        new("generated column", "COPY c_generated (doubled) FROM STDIN", SqlStates.InvalidColumnReference),
        new("row security", "COPY c_secured FROM STDIN", SqlStates.FeatureNotSupported, Limited),
        new("permission denied", "COPY c_plain FROM STDIN", SqlStates.InsufficientPrivilege, Limited),
    ];

    private static readonly CopyStatement[] _to =
    [
        new("table to", "COPY c_plain TO STDOUT"),
        new("empty result", "COPY (SELECT 1 WHERE false) TO STDOUT"),
        new("binary to", "COPY c_plain TO STDOUT (FORMAT binary)"),
        new("error in the first row", "COPY (SELECT 1 / 0) TO STDOUT"),
        new("error in the thousandth row", "COPY (SELECT 1 / (1000 - i) FROM generate_series(1, 2000) i) TO STDOUT"),
        new("error after much output", "COPY (SELECT repeat('x', 1000), 1 / (2000 - i) FROM generate_series(1, 3000) i) TO STDOUT"),
        new("much output", "COPY (SELECT repeat('x', 1000) FROM generate_series(1, 5000)) TO STDOUT"),
        new("INSERT RETURNING", "COPY (INSERT INTO c_plain VALUES (1, 'x') RETURNING id) TO STDOUT"),
        new("trigger that raises", "COPY (INSERT INTO c_row VALUES (1) RETURNING id) TO STDOUT"),
        new("aclitem in binary", "COPY (SELECT acldefault('r', 10::oid)) TO STDOUT (FORMAT binary)"),
        new("view to", "COPY c_view TO STDOUT", SqlStates.WrongObjectType),
        new("missing table to", "COPY c_none TO STDOUT", SqlStates.UndefinedTable),
        new("permission denied to", "COPY c_plain TO STDOUT", SqlStates.InsufficientPrivilege, Limited),
    ];

    public static IEnumerable<CopyStatement> All => _from.Concat(_to);

    /// <summary>Everything that the statements need, in an empty database.</summary>
    public const string Schema = $$"""
        DO $f$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{{Limited}}') THEN CREATE ROLE {{Limited}} LOGIN; END IF; END $f$;
        CREATE FUNCTION c_raise() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN RAISE EXCEPTION USING ERRCODE = tg_argv[0], MESSAGE = tg_argv[1]; END $f$;
        CREATE TABLE c_plain (id int, name text);
        INSERT INTO c_plain SELECT i, 'name ' || i FROM generate_series(1, 10) i;
        CREATE TABLE c_before (id int);
        CREATE TABLE c_forging (id int);
        CREATE TABLE c_after (id int);
        CREATE TABLE c_row (id int);
        CREATE TABLE c_parted (id int) PARTITION BY RANGE (id);
        CREATE TABLE c_generated (id int, doubled int GENERATED ALWAYS AS (id * 2) STORED);
        CREATE TABLE c_secured (id int);
        CREATE VIEW c_view AS SELECT a.id FROM c_plain a, c_plain b;
        CREATE VIEW c_written AS SELECT id FROM c_row;
        CREATE MATERIALIZED VIEW c_kept AS SELECT 1 AS id;
        CREATE SEQUENCE c_sequence;
        CREATE TRIGGER t BEFORE INSERT ON c_before FOR EACH STATEMENT EXECUTE FUNCTION c_raise('P0001', 'not before');
        CREATE TRIGGER t AFTER INSERT ON c_after FOR EACH STATEMENT EXECUTE FUNCTION c_raise('P0001', 'not after');
        CREATE TRIGGER t BEFORE INSERT ON c_row FOR EACH ROW EXECUTE FUNCTION c_raise('P0001', 'no row');
        CREATE TRIGGER t INSTEAD OF INSERT ON c_written FOR EACH ROW EXECUTE FUNCTION c_raise('P0001', 'nothing instead');
        ALTER TABLE c_secured ENABLE ROW LEVEL SECURITY;
        GRANT ALL ON c_secured TO {{Limited}};
        CREATE EXTENSION file_fdw;
        CREATE SERVER c_files FOREIGN DATA WRAPPER file_fdw;
        CREATE FOREIGN TABLE c_foreign (line text) SERVER c_files OPTIONS (filename '/dev/null');
        """;

    /// <summary>Makes a table whose trigger raises just what the server raises for the driver's CopyFail, but before it has read it.</summary>
    public static string Forge(string copyFail) =>
        $"CREATE TRIGGER t BEFORE INSERT ON c_forging FOR EACH STATEMENT EXECUTE FUNCTION c_raise('57014', 'COPY from stdin failed: {copyFail}')";

    public override string ToString() => Name;
}
