using System.Data;
using System.Text;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

/// <summary>COPY with a server that does what a real one does not do, or does at a certain moment.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class CopyExchangeTests(WaitMode mode) : WireTest(mode)
{
    private const string Export = "COPY t TO STDOUT (FORMAT binary)";
    private const string Import = "COPY t FROM STDIN (FORMAT binary)";

    // Signature, flags, extension.
    private static readonly byte[] _header = [.. Encoding.Latin1.GetBytes("PGCOPY\n\u00ff\r\n\0"), 0, 0, 0, 0, 0, 0, 0, 0];
    private static readonly byte[] _trailer = [0xff, 0xff];
    private static readonly byte[] _headerAndTrailer = [.. _header, .. _trailer];
    private static readonly byte[] _row = [0, 1, 0, 0, 0, 4, 0, 0, 0, 42];

    private static readonly (string Name, byte[][] Data)[] _malformed =
    [
        ("no signature", [[1, 2, 3]]),
        ("a short header", [[.. _header.AsSpan(0, 15)]]),
        ("a header that is too long", [[.. _header.AsSpan(0, 15), 0, 1, 0, 0]]),
        ("a row in two messages", [[.. _header, .. _row.AsSpan(0, 7)], [.. _row.AsSpan(7)]]),
        ("an empty message", [_header]),
        ("too many columns", [[.. _header, 0, 2, .. _row.AsSpan(2)]]),
        ("a negative length", [[.. _header, 0, 1, 0xff, 0xff, 0xff, 0xfe]]),
        ("no trailer", [[.. _header, .. _row]]),
        ("data behind the trailer", [[.. _header, .. _row], _trailer, _row]),
        ("a row too many", [[.. _header, .. _row], _row, _trailer]),
        ("a row too few", [_headerAndTrailer]),
    ];

    [Test]
    public async Task An_export_is_read_however_its_bytes_arrive()
    {
        await OpenWithServer(client =>
        {
            foreach (var part in Exported(2, [.. _header, .. _row], _row, _trailer).Bytes)
                client.Send.Raw([part]);
        });
        var exporter = await BeginExport();
        Assert.That((await StartRow(exporter), exporter.Read<int>()), Is.EqualTo((1, 42)));
        Assert.That((await StartRow(exporter), exporter.Read<int>()), Is.EqualTo((1, 42)));
        Assert.That(await StartRow(exporter), Is.EqualTo(-1));
        await AssertUsable();
    }

    [Test]
    public async Task Data_that_are_malformed_are_an_error_and_cost_the_connection([Range(0, 10)] int which)
    {
        var (name, data) = _malformed[which];
        await OpenWithServer(client => client.Send.Raw(Exported(1, data)), endsThere: true);
        var exporter = await BeginExport();
        var error = (await Assert.ThrowsAsync<PgException>(async () =>
        {
            while (await StartRow(exporter) >= 0)
                exporter.Read<int>();
        }))!;
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ProtocolViolation), name);
        await Mode.Run(exporter.Dispose, () => exporter.DisposeAsync().AsTask());
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed), name);
    }

    [Test]
    public async Task An_error_that_comes_with_the_answer_to_the_query_is_thrown_by_the_next_call_that_sends()
    {
        await OpenWithServer(client =>
        {
            client.Send.Add('G', [1, 0, 1, 0, 1]).ErrorResponse("53100", "disk full").ReadyForQuery();
            // Data and CopyDone that are under way do not matter to the server.
            while (client.ExpectAny() is not CopyDone)
            {
            }
        });
        var importer = await Mode.Run(() => Connection.BeginBinaryImport(Import), () => Connection.BeginBinaryImportAsync(Import));
        await Mode.Run(() => importer.WriteRow(1), () => importer.WriteRowAsync(default, 1));
        var error = (await Assert.ThrowsAsync<PostgresException>(() => Mode.Run(importer.Complete, () => importer.CompleteAsync().AsTask())))!;
        Assert.That(error.SqlState, Is.EqualTo("53100"));
        await Mode.Run(importer.Dispose, () => importer.DisposeAsync().AsTask());
        await AssertUsable();
    }

    [Test]
    public async Task An_import_that_is_disposed_says_so_and_its_error_does_not_matter()
    {
        await OpenWithServer(client =>
        {
            client.Send.Add('G', [1, 0, 1, 0, 1]);
            client.Expect<CopyFail>();
            client.Send.ErrorResponse("57014", "COPY from stdin failed").ReadyForQuery();
        });
        var importer = await Mode.Run(() => Connection.BeginBinaryImport(Import), () => Connection.BeginBinaryImportAsync(Import));
        await Mode.Run(() => importer.WriteRow(1), () => importer.WriteRowAsync(default, 1));
        await Mode.Run(importer.Dispose, () => importer.DisposeAsync().AsTask());
        await AssertUsable();
    }

    [Test]
    public async Task A_connection_that_is_lost_is_broken_and_says_why()
    {
        await OpenWithServer(client =>
        {
            client.Send.Raw(new Answer().Add('H', [1, 0, 1, 0, 1]).Add('d', [.. _header, .. _row]).ErrorResponse("57P01", "terminated", "FATAL"));
            client.End();
        }, endsThere: true);
        var exporter = await BeginExport();
        Assert.That(await StartRow(exporter), Is.EqualTo(1));
        Assert.That((await Assert.ThrowsAsync<PostgresException>(() => StartRow(exporter)))!.SqlState, Is.EqualTo("57P01"));
        await Mode.Run(exporter.Dispose, () => exporter.DisposeAsync().AsTask());
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed));
    }

    private Task<PgBinaryExporter> BeginExport() => Mode.Run(() => Connection.BeginBinaryExport(Export), () => Connection.BeginBinaryExportAsync(Export));

    private Task<int> StartRow(PgBinaryExporter exporter) => Mode.Run(exporter.StartRow, () => exporter.StartRowAsync().AsTask());

    private async Task AssertUsable() => Assert.That(await Scalar(), Is.EqualTo(42));

    private static Answer Exported(int rows, params byte[][] data)
    {
        var answer = new Answer().Add('H', [1, 0, 1, 0, 1]);
        foreach (var part in data)
            answer.Add('d', part);
        return answer.CopyDone().CommandComplete($"COPY {rows}").ReadyForQuery();
    }

    // The columns of the table are asked for first: one int4.
    private async Task OpenWithServer(Action<ScriptedPeer> copy, bool endsThere = false)
    {
        Play(client =>
        {
            client.Login();
            client.Expect<Parse>();
            client.Expect<Bind>();
            client.Expect<Execute>();
            client.Expect<Sync>();
            client.Send.ParseComplete().BindComplete()
                .DataRow(Encoding.UTF8.GetBytes("n"), Answer.Int32(23), Answer.Int32(-1), [0], [0], [0], [0]).CommandComplete("SELECT 1").ReadyForQuery();
            client.Expect<Query>();
            copy(client);
            if (!endsThere)
                client.AnswerCommand();
        });
        await Open();
    }
}
