using System.Data;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Loxo.IntegrationTests.Reader;

/// <summary>
/// A reader's call is held in code of the user's, and another thread closes the connection. The session's next renter must not be able to
/// tell, and the call must not see anything of that renter's.
/// </summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public sealed class ClosedUnderReaderTests(WaitMode mode)
{
    private const string InUse = "Another call is at work";

    private static readonly TimeSpan _patience = TimeSpan.FromMinutes(1);

    public enum Closing
    {
        Connection,
        ReaderThenConnection,
    }

    public enum Leaving
    {
        NextRow,
        End,
        CloseReader,
    }

    public enum Getter
    {
        GetFieldValue,
        GetJson,
        Nested,
    }

    [Test]
    public async Task A_call_that_is_held_by_a_notice_takes_nothing_of_the_next_renter([Values] Closing closing, [Values] bool goesToNextResult)
    {
        await using var source = Source();
        var (connection, reader, notice) = await BeforeNotice(source);
        var call = Task.Run(() => goesToNextResult ? mode.NextResult(reader) : mode.Read(reader));
        await notice.Held();

        if (closing == Closing.ReaderThenConnection)
            Assert.That(() => mode.Close(reader), Throws.InvalidOperationException.With.Message.Contain(InUse));
        await mode.Close(connection);

        await AssertOwn(source, () =>
        {
            notice.GoOn();
            return Ignore(call);
        });
        await AssertOwn(source);
    }

    [Test]
    public async Task A_second_call_is_refused_and_takes_nothing_from_the_first()
    {
        await using var source = Source();
        var (connection, reader, notice) = await BeforeNotice(source);
        var call = Task.Run(() => mode.Read(reader));
        await notice.Held();

        Assert.That(() => mode.Read(reader), Throws.InvalidOperationException.With.Message.Contain(InUse));
        Assert.That(() => mode.NextResult(reader), Throws.InvalidOperationException.With.Message.Contain(InUse));
        notice.GoOn();

        Assert.That(await call.WaitAsync(_patience), Is.True);
        Assert.That(reader.GetString(0), Is.EqualTo("former 2"));
        Assert.That(await mode.Read(reader), Is.True);
        Assert.That(reader.GetString(0), Is.EqualTo("former 3"));
        Assert.That(await mode.Read(reader), Is.False);
        Assert.That(await mode.NextResult(reader), Is.True);
        Assert.That(await mode.Read(reader), Is.True);
        Assert.That(reader.GetString(0), Is.EqualTo("former 4"));
        await mode.Close(reader);
        await mode.Close(connection);
    }

    [Test]
    public async Task A_session_is_given_back_unless_its_row_is_read_in_pieces([Values] bool inPieces)
    {
        await using var source = Source(size: 1);
        await using var connection = await mode.Run(source.OpenConnection, () => source.OpenConnectionAsync().AsTask());
        var process = connection.ProcessID;
        await using var command = new PgCommand("SELECT repeat('x', 1000000) FROM generate_series(1, 3)", connection);
        var reader = await mode.ExecuteReader(command, inPieces ? CommandBehavior.SequentialAccess : CommandBehavior.Default);
        Assert.That(await mode.Read(reader), Is.True);

        await mode.Close(connection);

        await AssertOwn(source);
        await mode.Open(connection);
        Assert.That(connection.ProcessID, inPieces ? Is.Not.EqualTo(process) : Is.EqualTo(process));
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

        Assert.That(async () => await call.WaitAsync(_patience), Throws.InvalidOperationException.With.Message.Contain("meanwhile"));
        Assert.That(converter.Text, Is.EqualTo(new string('f', count)), "what the converter has read");
    }

    [Test]
    public async Task A_value_that_its_reader_has_left_meanwhile_is_refused(
        [Values] Leaving leaving, [Values] bool ofDataSource, [Values] Getter getter)
    {
        var options = new JsonSerializerOptions { TypeInfoResolver = new DefaultJsonTypeInfoResolver() };
        var converter = new HeldConverter();
        options.Converters.Add(converter);
        await using var source = Source(builder => builder.ConfigureJsonOptions(options));
        await using var connection = source.CreateConnection();
        var value = getter == Getter.Nested ? "ROW(to_jsonb(repeat({0}, 1000)))" : "to_jsonb(repeat({0}, 1000))";
        var text = $"SELECT {string.Format(null, value, "'f'")} UNION ALL SELECT {string.Format(null, value, "'x'")} FROM generate_series(1, 100)";
        await using var command = ofDataSource ? source.CreateCommand(text) : new PgCommand(text, connection);
        if (!ofDataSource)
            await mode.Open(connection);
        var reader = await mode.ExecuteReader(command);
        Assert.That(await mode.Read(reader), Is.True);

        var nested = getter == Getter.Nested ? reader.GetData(0) : null;
        Assert.That(nested?.Read(), Is.Not.False);
        var call = Task.Run(() => getter switch
        {
            Getter.GetFieldValue => reader.GetFieldValue<Held>(0),
            Getter.GetJson => reader.GetJson(0, (JsonTypeInfo<Held>)options.GetTypeInfo(typeof(Held))),
            _ => nested!.GetFieldValue<Held>(0),
        });
        Assert.That(await converter.IsHeld.WaitAsync(_patience), Is.True);
        if (leaving == Leaving.NextRow)
            Assert.That(await mode.Read(reader), Is.True);
        else if (leaving == Leaving.End)
            while (await mode.Read(reader))
            {
            }
        else
            await mode.Close(reader);
        if (leaving is Leaving.End or Leaving.CloseReader)
        {
            await mode.Close(connection);
            for (var renter = 0; renter < 3; renter++)
                await AssertOwn(source);
        }
        converter.GoOn.Release();

        Assert.That(async () => await call.WaitAsync(_patience), Throws.InvalidOperationException.With.Message.Contain(
            getter == Getter.Nested ? "nested reader cannot be read any more" : "meanwhile"));
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

        Assert.That(() => ReadAll(command), Throws.InvalidOperationException.Or.InstanceOf<PgException>(), "not an end of the rows");

        await AssertOwn(source);
    }

    // A reader on its first row; the call behind that is held by a notice. The server sends the row with the notice, which has arrived then.
    private async Task<(PgConnection Connection, PgDataReader Reader, HeldNotice Notice)> BeforeNotice(PgDataSource source)
    {
        var connection = await mode.Run(source.OpenConnection, () => source.OpenConnectionAsync().AsTask());
        await using (var create = new PgCommand(
            """
            CREATE FUNCTION pg_temp.row(i int) RETURNS text LANGUAGE plpgsql AS
            $$ BEGIN IF i = 2 THEN RAISE NOTICE 'second'; END IF; RETURN 'former ' || i; END $$
            """, connection))
            await mode.ExecuteNonQuery(create);
        var command = new PgCommand("SELECT pg_temp.row(i) FROM generate_series(1, 3) i; SELECT 'former 4'", connection);
        var reader = await mode.ExecuteReader(command);
        Assert.That(await mode.Read(reader), Is.True);
        return (connection, reader, new HeldNotice(connection));
    }

    private static PgDataSource Source(Action<PgDataSourceBuilder>? configure = null, int size = 2)
    {
        var builder = new PgDataSourceBuilder($"{TestServer.Default.ConnectionString};Maximum Pool Size={size}");
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

    private sealed class HeldNotice
    {
        private readonly SemaphoreSlim _held = new(0);
        private readonly SemaphoreSlim _goOn = new(0);

        public HeldNotice(PgConnection connection) => connection.Notice += (_, _) =>
        {
            _held.Release();
            _goOn.Wait(_patience);
        };

        public async Task Held() => Assert.That(await _held.WaitAsync(_patience), Is.True);

        public void GoOn() => _goOn.Release();
    }

    private sealed record Held(string Text);

    private sealed class HeldConverter : JsonConverter<Held>
    {
        public SemaphoreSlim IsHeld { get; } = new(0);

        public SemaphoreSlim GoOn { get; } = new(0);

        public string? Text { get; private set; }

        public override Held Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options)
        {
            IsHeld.Release();
            GoOn.Wait(_patience);
            Text = reader.GetString();
            return new Held(Text!);
        }

        public override void Write(Utf8JsonWriter writer, Held value, JsonSerializerOptions options) => writer.WriteStringValue(value.Text);
    }
}
