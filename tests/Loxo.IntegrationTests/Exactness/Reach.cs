namespace Loxo.IntegrationTests.Exactness;

/// <summary>A way in which a statement comes to run <c>proof_act()</c>, which counts and, when told to, raises.</summary>
/// <param name="Name">A short name, unique.</param>
/// <param name="Text">The statement; with <c>$1</c>, an int is given.</param>
public sealed record Reach(string Name, string Text)
{
    public static readonly Reach[] All =
    [
        new("function", "SELECT proof_act()"),
        new("function and parameter", "SELECT proof_act(), $1"),
        new("third row", "SELECT i, CASE WHEN i = 3 THEN proof_act() END FROM generate_series(1, 5) i"),
        new("function in SQL", "SELECT proof_sql()"),
        new("view", "SELECT * FROM proof_view"),
        new("WHERE", "SELECT id FROM proof_one WHERE proof_act() = id"),
        new("INSERT .. SELECT", "INSERT INTO proof_plain SELECT proof_act()"),
        new("RETURNING", "INSERT INTO proof_plain VALUES (1) RETURNING proof_act()"),
        new("CTE", "WITH x AS (INSERT INTO proof_plain SELECT proof_act() RETURNING id) SELECT * FROM x"),
        new("BEFORE trigger", "INSERT INTO proof_before VALUES (1)"),
        new("AFTER trigger", "INSERT INTO proof_after VALUES ($1) RETURNING id"),
        new("rule", "INSERT INTO proof_ruled VALUES (1)"),
        new("default", "INSERT INTO proof_default DEFAULT VALUES"),
        new("DO", "DO $$ BEGIN PERFORM proof_act(); END $$"),
        new("nested EXECUTE", "DO $$ BEGIN EXECUTE 'DO $x$ BEGIN EXECUTE ''SELECT proof_act()''; END $x$'; END $$"),
        new("procedure", "CALL proof_call()"),
        new("EXPLAIN ANALYZE", "EXPLAIN ANALYZE SELECT proof_act()"),
        new("COPY to a file", "COPY (SELECT proof_act()) TO '/dev/null'"),
        // The planner calls an immutable function while it answers Bind: an error in place of BindComplete does not prove that nothing ran.
        new("planning", "SELECT proof_planned($1)"),
        // The CONTEXT of an error that such a function raises itself is one line with its name; that of a parameter is one line with $1.
        new("planning, with a name like a parameter", "SELECT proof_planned$1($1)"),
        new("planning, with a quoted name like a parameter", "SELECT \"proof $1\"($1)"),
        // A domain's CHECK is evaluated while Bind reads the parameter.
        new("parameter of a domain", "SELECT $1::int") { ParameterType = "proof_domain" },
        new("procedure that commits", "CALL proof_commits()") { IsAutocommitOnly = true },
        new("deferred trigger", "INSERT INTO proof_deferred VALUES (1)") { IsAutocommitOnly = true },
    ];

    /// <summary>The declared type of the parameter; null if .NET's type decides.</summary>
    public string? ParameterType { get; private init; }

    /// <summary>Whether it only works alone and outside a transaction.</summary>
    public bool IsAutocommitOnly { get; private init; }

    public bool HasParameter => Text.Contains("$1", StringComparison.Ordinal);

    /// <summary>Everything that the statements need, in an empty database. <paramref name="count"/> is a PL/pgSQL statement that counts.</summary>
    public static string Schema(string count) => $$"""
        CREATE TABLE proof_source (name text PRIMARY KEY, code text, message text, body text);
        CREATE TABLE proof_switch (name text);
        CREATE SEQUENCE proof_neighbours;
        CREATE FUNCTION proof_act() RETURNS int LANGUAGE plpgsql AS $f$
            DECLARE source proof_source;
            BEGIN
                {{count}};
                SELECT s.* INTO source FROM proof_switch w JOIN proof_source s USING (name);
                IF source.name IS NULL THEN RETURN 1; END IF;
                IF source.body IS NULL THEN RAISE EXCEPTION USING ERRCODE = source.code, MESSAGE = source.message; END IF;
                EXECUTE source.body;
                RAISE EXCEPTION 'the source did not raise';
            END $f$;
        CREATE FUNCTION proof_neighbour() RETURNS bigint LANGUAGE plpgsql AS $f$ BEGIN RETURN nextval('proof_neighbours'); END $f$;
        CREATE FUNCTION proof_sql() RETURNS int LANGUAGE sql AS $f$ SELECT proof_act() $f$;
        CREATE FUNCTION proof_planned(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $f$ BEGIN PERFORM proof_act(); RETURN $1; END $f$;
        CREATE FUNCTION proof_planned$1(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $f$
            DECLARE source proof_source;
            BEGIN
                SELECT s.* INTO source FROM proof_switch w JOIN proof_source s USING (name);
                IF source.name IS NULL OR source.body IS NOT NULL THEN RETURN proof_act(); END IF;
                {{count}};
                RAISE EXCEPTION USING ERRCODE = source.code, MESSAGE = source.message;
            END $f$;
        DO $$ BEGIN EXECUTE replace(pg_get_functiondef('proof_planned$1(int)'::regprocedure), 'proof_planned$1', 'proof $1'); END $$;
        CREATE FUNCTION proof_counts(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $f$ BEGIN {{count}}; RETURN $1; END $f$;
        CREATE FUNCTION proof_element() RETURNS oid LANGUAGE plpgsql STABLE AS $f$
            BEGIN RETURN CASE WHEN EXISTS (SELECT FROM proof_switch) THEN 999999 ELSE 23 END; END $f$;
        CREATE FUNCTION proof_checked(int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $f$ BEGIN PERFORM proof_act(); RETURN true; END $f$;
        CREATE FUNCTION proof_trigger() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN PERFORM proof_act(); RETURN new; END $f$;
        CREATE PROCEDURE proof_call() LANGUAGE plpgsql AS $f$ BEGIN PERFORM proof_act(); END $f$;
        CREATE PROCEDURE proof_commits() LANGUAGE plpgsql AS $f$ BEGIN INSERT INTO proof_plain VALUES (1); COMMIT; PERFORM proof_act(); END $f$;
        CREATE DOMAIN proof_domain AS int CHECK (proof_checked(VALUE));
        CREATE PROCEDURE proof_out(INOUT acl aclitem) LANGUAGE plpgsql AS $f$ BEGIN PERFORM proof_act(); END $f$;
        CREATE FUNCTION proof_forget() RETURNS int LANGUAGE plpgsql AS $f$ BEGIN EXECUTE 'DEALLOCATE ALL'; RETURN 1; END $f$;
        CREATE VIEW proof_view AS SELECT proof_act() AS id;
        CREATE TABLE proof_one AS SELECT 1 AS id;
        CREATE TABLE proof_grown AS SELECT 1 AS id;
        CREATE TABLE proof_plain (id int);
        CREATE TABLE proof_before (id int);
        CREATE TABLE proof_after (id int);
        CREATE TABLE proof_ruled (id int);
        CREATE TABLE proof_deferred (id int);
        CREATE TABLE proof_default (id int DEFAULT proof_act());
        CREATE TRIGGER t BEFORE INSERT ON proof_before FOR EACH ROW EXECUTE FUNCTION proof_trigger();
        CREATE TRIGGER t AFTER INSERT ON proof_after FOR EACH ROW EXECUTE FUNCTION proof_trigger();
        CREATE CONSTRAINT TRIGGER t AFTER INSERT ON proof_deferred DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION proof_trigger();
        CREATE RULE r AS ON INSERT TO proof_ruled DO INSTEAD INSERT INTO proof_plain SELECT proof_act();
        """;

    /// <summary>Adds what the text asks for, if it has a parameter.</summary>
    public void AddParameter(PgParameterCollection parameters)
    {
        if (!HasParameter)
            return;
        var parameter = new PgParameter(null, 7);
        if (ParameterType is { } type)
            parameter.DataTypeName = type;
        parameters.Add(parameter);
    }

    public override string ToString() => Name;
}
