namespace Loxo.IntegrationTests.Execution;

[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class ErrorTests(WaitMode mode) : DatabaseTest(mode)
{
    [Test]
    public async Task A_failed_command_leaves_the_connection_usable()
    {
        var error = await Catch<PostgresException>(() => Execute("SELECT 1/0"));

        Assert.That(error.SqlState, Is.EqualTo(SqlStates.DivisionByZero));
        await AssertUsable();
    }

    [Test]
    public async Task An_error_in_the_middle_of_rows_is_thrown_by_the_read_that_meets_it()
    {
        await using var command = Command("SELECT 10 / (5 - i) FROM generate_series(1, 9) i");
        var reader = await Mode.ExecuteReader(command);
        for (var i = 1; i < 5; i++)
            Assert.That(await Mode.Read(reader), Is.True);

        var error = await Catch<PostgresException>(() => Mode.Read(reader));

        Assert.That(error.SqlState, Is.EqualTo(SqlStates.DivisionByZero));
        await Mode.Close(reader);
        await AssertUsable();
    }
}
