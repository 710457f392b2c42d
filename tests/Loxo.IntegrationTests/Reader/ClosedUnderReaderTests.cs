using System.Text.Json;
using System.Text.Json.Serialization;

namespace Loxo.IntegrationTests.Reader;

/// <summary>
/// A reader's call is held in code of the user's, and another thread closes the connection. The session's next renter must not be able to
/// tell, and the call must not see anything of that renter's.
/// </summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public sealed class ClosedUnderReaderTests(WaitMode mode)
{
    private static readonly TimeSpan _patience = TimeSpan.FromMinutes(1);

    public enum Closing
    {
        Connection,
        ReaderThenConnection,
    }

    [Test]
    public async Task A_call_that_is_held_by_a_notice_takes_nothing_of_the_next_renter([Values] Closing closing, [Values] bool goesToNextResult)
    {
        await using var source = Source();
        var connection = await mode.Run(source.OpenConnection, () => source.OpenConnectionAsync().AsTask());
        using var held = new SemaphoreSlim(0);
        using var goOn = new SemaphoreSlim(0);
        // The server sends the first row with the notice, so that the notice has arrived when the second call begins.
        await using (var create = new PgCommand(
            """
            CREATE FUNCTION pg_temp.row(i int) RETURNS text LANGUAGE plpgsql AS
            $$ BEGIN IF i = 2 THEN RAISE NOTICE 'second'; END IF; RETURN 'former ' || i; END $$
            """, connection))
            await mode.ExecuteNonQuery(create);
        await using var command = new PgCommand("SELECT pg_temp.row(i) FROM generate_series(1, 3) i; SELECT 'former 4'", connection);
        var reader = await mode.ExecuteReader(command);
        Assert.That(await mode.Read(reader), Is.True);
        connection.Notice += (_, _) =>
        {
            held.Release();
            goOn.Wait(_patience);
        };

        var call = Task.Run(() => goesToNextResult ? mode.NextResult(reader) : mode.Read(reader));
        Assert.That(await held.WaitAsync(_patience), Is.True);
        if (closing == Closing.ReaderThenConnection)
            Assert.That(() => mode.Close(reader), Throws.InvalidOperationException.With.Message.Contain("Another call is at work"));
        await mode.Close(connection);
        await AssertOwn(source, () =>
        {
            goOn.Release();
            return Ignore(call);
        });
        await AssertOwn(source);
    }

    [Test]
    public async Task A_value_that_is_being_converted_is_that_of_its_own_row([Values] bool isLong)
    {
        var options = new JsonSerializerOptions();
        var converter = new HeldConverter();
        options.Converters.Add(converter);
        await using var source = Source(builder => builder.ConfigureJsonOptions(options));
        await using var connection = await mode.Run(source.OpenConnection, () => source.OpenConnectionAsync().AsTask());
        var count = isLong ? 200_000 : 1000;
        await using var command = new PgCommand(
            $"""SELECT to_jsonb(repeat('f', {count})) UNION ALL SELECT to_jsonb(repeat('x', 1000)) FROM generate_series(1, 100)""", connection);
        var reader = await mode.ExecuteReader(command);
        Assert.That(await mode.Read(reader), Is.True);

        var call = Task.Run(() => reader.GetFieldValue<Held>(0));
        Assert.That(await converter.IsHeld.WaitAsync(_patience), Is.True);
        await mode.Close(connection);
        for (var renter = 0; renter < 3; renter++)
            await AssertOwn(source);
        converter.GoOn.Release();

        Assert.That((await call).Text, Is.EqualTo(new string('f', count)));
    }

    [Test]
    public async Task A_handler_may_close_the_connection_that_reads()
    {
        await using var source = Source();
        await using var connection = await mode.Run(source.OpenConnection, () => source.OpenConnectionAsync().AsTask());
        await using var command = new PgCommand("SELECT 1", connection);
        connection.Notice += (_, _) => connection.Close();
        command.CommandText =
            "DO $$ BEGIN RAISE NOTICE 'first'; END $$; SELECT i FROM generate_series(1, 1000) i";

        await Ignore(ReadAll(command));

        await AssertOwn(source);
    }

    private static PgDataSource Source(Action<PgDataSourceBuilder>? configure = null)
    {
        var builder = new PgDataSourceBuilder(TestServer.Default.ConnectionString + ";Maximum Pool Size=2");
        configure?.Invoke(builder);
        return builder.Build();
    }

    private async Task ReadAll(PgCommand command)
    {
        await using var reader = await mode.ExecuteReader(command);
        while (await mode.Read(reader))
        {
        }
    }

    private static async Task Ignore(Task call)
    {
        try
        {
            await call.WaitAsync(_patience);
        }
        catch (Exception e) when (e is PgException or InvalidOperationException)
        {
            TestContext.Out.WriteLine(e.Message);
        }
    }

    // More than fits into a buffer, so that what another thread takes is missing or out of order.
    private async Task AssertOwn(PgDataSource source, Func<Task>? between = null)
    {
        await using var connection = await mode.Run(source.OpenConnection, () => source.OpenConnectionAsync().AsTask());
        await using var command = new PgCommand("SELECT 'next ' || i || repeat('n', 1000) FROM generate_series(1, 1000) i", connection);
        await using var reader = await mode.ExecuteReader(command);
        var count = 0;
        while (await mode.Read(reader))
        {
            Assert.That(reader.GetString(0), Is.EqualTo("next " + ++count + new string('n', 1000)));
            if (count == 2 && between is not null)
                await between();
        }
        Assert.That(count, Is.EqualTo(1000));
    }

    private sealed record Held(string Text);

    private sealed class HeldConverter : JsonConverter<Held>
    {
        public SemaphoreSlim IsHeld { get; } = new(0);

        public SemaphoreSlim GoOn { get; } = new(0);

        public override Held Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options)
        {
            IsHeld.Release();
            GoOn.Wait(_patience);
            return new Held(reader.GetString()!);
        }

        public override void Write(Utf8JsonWriter writer, Held value, JsonSerializerOptions options) => writer.WriteStringValue(value.Text);
    }
}
