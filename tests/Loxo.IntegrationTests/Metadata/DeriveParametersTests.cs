using System.Data;
using System.Data.Common;
using Npgsql;

namespace Loxo.IntegrationTests.Metadata;

[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class DeriveParametersTests(WaitMode mode) : MetadataTest(mode)
{
    [SetUp]
    public Task CreateRoutines() => Execute("""
        SET search_path = metadata;
        CREATE OR REPLACE FUNCTION mixed(a int, INOUT b text, OUT c numeric) LANGUAGE sql AS 'SELECT $2, 1.0';
        CREATE OR REPLACE FUNCTION unnamed(int, text) RETURNS TABLE (x int, y text) LANGUAGE sql AS 'SELECT 1, $2';
        CREATE OR REPLACE FUNCTION own(p positive, m mood, ms mood[]) RETURNS int LANGUAGE sql AS 'SELECT 1';
        CREATE OR REPLACE FUNCTION many(VARIADIC int[]) RETURNS int LANGUAGE sql AS 'SELECT 1';
        CREATE OR REPLACE FUNCTION over(int) RETURNS int LANGUAGE sql AS 'SELECT 1';
        CREATE OR REPLACE FUNCTION over(text) RETURNS int LANGUAGE sql AS 'SELECT 1';
        CREATE OR REPLACE FUNCTION "Quoted ""F"(v json) RETURNS int LANGUAGE sql AS 'SELECT 1';
        CREATE OR REPLACE FUNCTION one_row() RETURNS pair LANGUAGE sql AS $$ SELECT 1, 'x'::text $$;
        CREATE OR REPLACE FUNCTION rows_of(a int) RETURNS SETOF pair LANGUAGE sql AS $$ SELECT 1, 'x'::text $$;
        CREATE OR REPLACE PROCEDURE twice(a int, INOUT b int) LANGUAGE plpgsql AS 'BEGIN b := a * 2; END';
        RESET search_path
        """);

    [TestCase("metadata.mixed", "a Input integer, b InputOutput text, c Output numeric")]
    [TestCase("metadata.unnamed", " Input integer,  Input text, x Output integer, y Output text")]
    [TestCase("metadata.own", "p Input metadata.positive, m Input metadata.mood, ms Input metadata.mood[]")]
    [TestCase("metadata.\"Quoted \"\"F\"", "v Input json")]
    [TestCase("metadata.one_row", "x Output integer, y Output text")]
    [TestCase("METADATA.Twice", "a Input integer, b InputOutput integer")]
    public async Task A_routine_has_the_parameters_of_its_declaration(string name, string expected)
    {
        await using var command = new PgCommand(name, Connection) { CommandType = CommandType.StoredProcedure };
        command.Parameters.Add(new PgParameter("former", 1));
        await Derive(command);

        Assert.That(Describe(command), Is.EqualTo(expected));
        Assert.That(Describe(Derived(name, CommandType.StoredProcedure)), Is.EqualTo(expected));
    }

    [TestCase("SELECT @a::int, :b || 'x', @A", "a Input integer, b Input text")]
    [TestCase("INSERT INTO metadata.parent (a, b, c, d, e, f) VALUES (@a, @b, @c, @d, @e, @f)",
        "a Input text, b Input character varying, c Input numeric, d Input metadata.positive, e Input metadata.mood, f Input integer[]")]
    [TestCase("SELECT @p::int; UPDATE metadata.parent SET a = @s WHERE id = @p", "p Input integer, s Input text")]
    [TestCase("SELECT '@x', $$ @z $$", "")]
    public async Task A_text_has_the_parameters_that_the_server_finds(string sql, string expected)
    {
        await using var command = new PgCommand(sql, Connection);
        await Derive(command);

        Assert.That(Describe(command), Is.EqualTo(expected));
        Assert.That(Describe(Derived(sql, CommandType.Text)), Is.EqualTo(expected));
    }

    [Test]
    public async Task Positional_parameters_are_derived_too() // by Npgsql, they are not
    {
        await using var command = new PgCommand("SELECT $2::text, $1 + 1", Connection);
        await Derive(command);

        Assert.That(Describe(command), Is.EqualTo(" Input integer,  Input text"));
    }

    [Test]
    public async Task The_fields_of_a_composite_result_keep_their_names_behind_named_parameters() // by Npgsql, they are parameter2 and 3
    {
        await using var command = new PgCommand("metadata.rows_of", Connection) { CommandType = CommandType.StoredProcedure };
        await Derive(command);

        Assert.That(Describe(command), Is.EqualTo("a Input integer, x Output integer, y Output text"));
    }

    [TestCase("metadata.own", CommandType.StoredProcedure)]
    [TestCase("metadata.mixed", CommandType.StoredProcedure)]
    [TestCase("SELECT @p::metadata.positive, @m::metadata.mood, @ms::metadata.mood[], @t::text", CommandType.Text)]
    public async Task A_derived_parameter_knows_its_PostgreSQL_type(string text, CommandType type)
    {
        await using var command = new PgCommand(text, Connection) { CommandType = type };
        await Derive(command);
        await Other.ReloadTypesAsync();

        Assert.That(command.Parameters.Select(one => Describe(one.PostgresType)),
            Is.EqualTo(Derived(text, type).Parameters.Select(one => Describe(one.PostgresType))));
        Assert.That(command.Parameters[0].Clone().PostgresType, Is.SameAs(command.Parameters[0].PostgresType));
        command.Parameters[0].DataTypeName = "uuid";
        Assert.That(command.Parameters[0].PostgresType?.FullName, Is.EqualTo("pg_catalog.uuid"));
        await AssertUsable();
    }

    [Test]
    public async Task A_derived_command_runs()
    {
        await using var command = new PgCommand("metadata.twice", Connection) { CommandType = CommandType.StoredProcedure };
        await Derive(command);
        (command.Parameters["a"].Value, command.Parameters["b"].Value) = (21, 0);
        await Mode.ExecuteNonQuery(command);
        Assert.That(command.Parameters["b"].Value, Is.EqualTo(42));

        await using var query = new PgCommand("SELECT @m = 'ok', cardinality(@f)", Connection);
        query.CommandText = "SELECT count(*) FROM metadata.parent WHERE e = @m AND f = @f AND d = @d";
        await Derive(query);
        (query.Parameters["m"].Value, query.Parameters["f"].Value, query.Parameters["d"].Value) = ("ok", new[] { 1 }, 1);
        Assert.That(await Mode.ExecuteScalar(query), Is.Zero);
    }

    [Test]
    public async Task What_cannot_be_derived_is_an_error_that_leaves_the_parameters()
    {
        Assert.That((await Fails<PostgresException>("metadata.nothing", CommandType.StoredProcedure)).SqlState, Is.EqualTo("42883"));
        Assert.That((await Fails<PostgresException>("metadata.over", CommandType.StoredProcedure)).SqlState, Is.EqualTo("42725"));
        Assert.That((await Fails<NotSupportedException>("metadata.many", CommandType.StoredProcedure)).Message, Does.Contain("VARIADIC"));
        Assert.That((await Fails<PostgresException>("SELEC @x", CommandType.Text)).SqlState, Is.EqualTo("42601"));
        Assert.That((await Fails<InvalidOperationException>("SELECT @p + 1; SELECT @p::bigint", CommandType.Text)).Message, Does.Contain("'p'"));
        await Fails<NotSupportedException>("metadata.parent", CommandType.TableDirect);
        await Fails<InvalidOperationException>("", CommandType.Text);
        await AssertUsable();

        await using var unconnected = new PgCommand("SELECT 1");
        await Catch<InvalidOperationException>(() => Derive(unconnected));
        await Catch<ArgumentNullException>(() => Derive(null!));
    }

    [Test]
    public async Task Derivation_takes_part_in_the_transaction()
    {
        await using var transaction = await Connection.BeginTransactionAsync();
        await Execute("CREATE TABLE metadata.fresh (id uuid)");
        await using var command = new PgCommand("INSERT INTO metadata.fresh VALUES (@id)", Connection);
        await Derive(command);

        Assert.That(Describe(command), Is.EqualTo("id Input uuid"));
        await Mode.Rollback(transaction);
    }

    private Task Derive(PgCommand command) =>
        Mode.Run(() => PgCommandBuilder.DeriveParameters(command), () => PgCommandBuilder.DeriveParametersAsync(command));

    private NpgsqlCommand Derived(string text, CommandType type)
    {
        var command = new NpgsqlCommand(text, Other) { CommandType = type };
        NpgsqlCommandBuilder.DeriveParameters(command);
        return command;
    }

    private async Task<T> Fails<T>(string text, CommandType type)
        where T : Exception
    {
        await using var command = new PgCommand(text, Connection) { CommandType = type };
        command.Parameters.Add(new PgParameter("former", 1));
        var error = await Catch<T>(() => Derive(command));
        Assert.That(command.Parameters.Single<PgParameter>().ParameterName, Is.EqualTo("former"));
        return error;
    }

    private static string Describe(object? type) => $"{type?.GetType().Name} {type}";

    private static string Describe(DbCommand command) => string.Join(", ", command.Parameters.Cast<DbParameter>().Select(parameter =>
        $"{parameter.ParameterName} {parameter.Direction} {(parameter as PgParameter)?.DataTypeName ?? ((NpgsqlParameter)parameter).DataTypeName}"));
}
