using System.Globalization;
using System.Text;

namespace Loxo.IntegrationTests.Execution;

/// <summary>Wrong input is refused with an error that names it, before anything is sent where possible, and the connection can be used.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class RefusedInputTests(WaitMode mode) : DatabaseTest(mode)
{
    [Test]
    public async Task NUL_in_the_text_is_refused()
    {
        var error = await Catch<PgException>(() => Execute("SELECT '\0'"));

        Assert.That(error.Message, Does.Contain("NUL"));
        await AssertUsable();
    }

    [Test]
    public async Task NUL_in_the_second_of_two_statements_sends_neither()
    {
        await Execute("CREATE TEMP TABLE item (id int)");

        await Catch<PgException>(() => Execute("INSERT INTO item VALUES (1); SELECT '\0'"));

        Assert.That(await Scalar<long>("SELECT count(*) FROM item"), Is.Zero);
    }

    [Test]
    public async Task NUL_in_a_text_parameter_is_refused_by_parameter()
    {
        var error = await Catch<PgException>(() => Execute("SELECT $1", "a\0b"));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ParameterInvalid));
        Assert.That(error.Message, Does.Contain("$1").And.Contain("NUL"));
        await AssertUsable();
    }

    [Test]
    public async Task A_lone_surrogate_is_refused_by_parameter()
    {
        await using var command = Command("SELECT @name");
        command.Parameters.AddWithValue("name", "a\ud800b");

        var error = await Catch<PgException>(() => Mode.ExecuteScalar(command));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ParameterInvalid));
        Assert.That(error.Message, Does.Contain("'name'").And.Contain("surrogate"));
        await AssertUsable();
    }

    [Test]
    public async Task The_most_parameters_that_a_statement_can_have_are_sent()
    {
        const int Most = ushort.MaxValue;
        await using var command = Command(Sum(Most));
        for (var i = 0; i < Most; i++)
            command.Parameters.Add(new PgParameter { Value = 1 });

        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo((long)Most));
    }

    [Test]
    public async Task One_parameter_more_is_refused()
    {
        const int Many = ushort.MaxValue + 1;
        await using var command = Command(Sum(Many));
        for (var i = 0; i < Many; i++)
            command.Parameters.Add(new PgParameter { Value = 1 });

        var error = await Catch<PgException>(() => Mode.ExecuteScalar(command));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.TooManyParameters));
        Assert.That(error.Message, Does.Contain("65536").And.Contain("65,535"));
        await AssertUsable();
    }

    [Test]
    public async Task A_parameter_without_a_value_is_named()
    {
        await using var command = Command("SELECT @first, @second");
        command.Parameters.AddWithValue("first", 1);
        command.Parameters.Add(new PgParameter { ParameterName = "second" });

        var error = await Catch<InvalidOperationException>(() => Mode.ExecuteScalar(command));

        Assert.That(error.Message, Does.Contain("'second'").And.Contain("DBNull"));
        await AssertUsable();
    }

    [Test]
    public async Task A_name_without_a_parameter_is_told_with_what_the_server_said()
    {
        var error = await Catch<PostgresException>(() => Execute("SELECT @nobody"));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ParameterMissing));
        Assert.That(error.Message, Does.Contain("'nobody'"));
        Assert.That(error.SqlState, Is.EqualTo(SqlStates.UndefinedColumn));
        Assert.That(error.Position, Is.EqualTo(9));
        await AssertUsable();
    }

    [Test]
    public async Task Too_few_positional_parameters_are_told()
    {
        var error = await Catch<PostgresException>(() => Execute("SELECT $1::int, $2::int", 1));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ParameterMissing));
        Assert.That(error.Message, Does.Contain("$n"));
        await AssertUsable();
    }

    [Test]
    public async Task A_value_that_stands_for_no_type_is_refused_by_parameter()
    {
        await using var command = Command("SELECT @what");
        command.Parameters.AddWithValue("what", new Version(1, 2));

        var error = await Catch<InvalidCastException>(() => Mode.ExecuteScalar(command));

        Assert.That(error.Message, Does.Contain("'what'").And.Contain("System.Version"));
        await AssertUsable();
    }

    [Test]
    public async Task A_value_that_does_not_fit_its_declared_type_is_refused_by_parameter()
    {
        await using var command = Command("SELECT @n");
        var n = command.Parameters.Add("n", PgDbType.Integer);

        n.Value = "one";
        var wrong = await Catch<InvalidCastException>(() => Mode.ExecuteScalar(command));
        Assert.That(wrong.Message, Does.Contain("'n'").And.Contain("integer").And.Contain("string"));
        n.Value = 1L + int.MaxValue;
        var large = await Catch<OverflowException>(() => Mode.ExecuteScalar(command));
        Assert.That(large.Message, Does.Contain("'n'"));

        n.Value = 7L;
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(7));
    }

    [Test]
    public async Task A_refused_value_of_the_second_parameter_sends_nothing_and_keeps_a_pending_transaction_pending()
    {
        var transaction = Connection.BeginTransaction();
        await using var command = Command("SELECT @a, @b");
        command.Parameters.AddWithValue("a", new string('x', 100_000));
        var b = command.Parameters.Add("b", PgDbType.Smallint);
        b.Value = 70_000;

        await Catch<OverflowException>(() => Mode.ExecuteScalar(command));

        await Execute("CREATE TEMP TABLE item (id int)");
        await Mode.Rollback(transaction);
        Assert.That(await Scalar<bool>("SELECT to_regclass('item') IS NULL"), Is.True);
    }

    [Test]
    public async Task Named_and_positional_parameters_do_not_mix()
    {
        await using var byParameter = Command("SELECT @a, $2", 1);
        byParameter.Parameters.AddWithValue("a", 1);
        await using var byText = Command("SELECT @a, $1");
        byText.Parameters.AddWithValue("a", 1);

        Assert.That((await Catch<ArgumentException>(() => Mode.ExecuteScalar(byParameter))).Message, Does.Contain("Name all of them"));
        Assert.That((await Catch<InvalidOperationException>(() => Mode.ExecuteScalar(byText))).Message, Does.Contain("$n"));
        await AssertUsable();
    }

    private static string Sum(int count)
    {
        var sql = new StringBuilder("SELECT sum(x) FROM unnest(ARRAY[");
        for (var i = 1; i <= count; i++)
            sql.Append(CultureInfo.InvariantCulture, $"{(i > 1 ? "," : "")}${i}");
        return sql.Append("]) x").ToString();
    }
}
