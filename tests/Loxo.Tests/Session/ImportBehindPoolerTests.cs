using System.Text;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

/// <summary>
/// An import behind a pooler ends with its Sync, which comes once and last: with the ReadyForQuery that answers it, a pooler hands the server
/// process on.
/// </summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class ImportBehindPoolerTests(WaitMode mode) : WireTest(mode)
{
    private const string Import = "COPY t FROM STDIN (FORMAT binary)";

    public enum Refused
    {
        Never,
        AtParse,
        InsteadOfCopying,
        WithCopyInResponse,
        BehindData,
        BehindCopyDone,
        AtSync,
    }

    [Test]
    public async Task It_ends_with_one_Sync_whenever_the_server_refuses_it([Values] Refused refused, [Values] bool inTransaction)
    {
        var status = inTransaction ? refused == Refused.Never ? 'T' : 'E' : 'I';
        await OpenWithServer(inTransaction, server =>
        {
            Begin(server, inTransaction);
            if (refused != Refused.AtParse)
                server.Send.ParseComplete().BindComplete();
            if (refused > Refused.InsteadOfCopying || refused == Refused.Never)
                server.Send.Add('G', [1, 0, 1, 0, 1]);
            if (refused is not (Refused.Never or Refused.BehindData or Refused.BehindCopyDone or Refused.AtSync))
                Refuse(server);
            var copied = 0;
            ClientMessage message;
            while ((message = server.ExpectAny()) is not Sync)
            {
                if (message is CopyData && copied++ == 0 && refused == Refused.BehindData)
                    Refuse(server);
                if (message is CopyDone && refused == Refused.BehindCopyDone)
                    Refuse(server);
                if (message is CopyDone && refused is Refused.Never or Refused.AtSync)
                    server.Send.CommandComplete("COPY 2");
                Assert.That(message, Is.InstanceOf<CopyData>().Or.InstanceOf<CopyDone>());
            }
            if (refused == Refused.AtSync)
                Refuse(server);
            server.Channel.AwaitClientWaiting();
            Assert.That(server.Channel.Unread, Is.Zero, "behind the Sync");
            server.Send.ReadyForQuery(status);
            if (inTransaction)
            {
                Assert.That(server.Expect<Query>().Sql, Is.EqualTo("ROLLBACK"));
                server.Send.CommandComplete("ROLLBACK").ReadyForQuery();
            }
        });
        await using (var transaction = inTransaction ? await Mode.Run(() => Connection.BeginTransaction(), async () => await Connection.BeginTransactionAsync()) : null)
        {
            if (refused == Refused.Never)
            {
                Assert.That(await Copy(), Is.EqualTo(2));
            }
            else
            {
                Assert.That((await Assert.ThrowsAsync<PostgresException>(Copy))!.SqlState, Is.EqualTo("23514"));
            }
            if (transaction is not null)
                await Mode.Run(transaction.Rollback, () => transaction.RollbackAsync());
        }
        Assert.That(await Scalar(), Is.EqualTo(42));
    }

    [Test]
    public async Task It_ends_with_one_Sync_when_it_is_given_up()
    {
        await OpenWithServer(inTransaction: false, server =>
        {
            Begin(server, inTransaction: false);
            server.Send.ParseComplete().BindComplete().Add('G', [1, 0, 1, 0, 1]);
            server.Expect<CopyFail>();
            server.Expect<Sync>();
            server.Send.ErrorResponse("57014", "COPY from stdin failed").ReadyForQuery();
        });
        var importer = await BeginImport();
        await Mode.Run(() => importer.WriteRow(1), () => importer.WriteRowAsync(default, 1));
        await Mode.Run(importer.Dispose, () => importer.DisposeAsync().AsTask());
        Assert.That(await Scalar(), Is.EqualTo(42));
    }

    private static void Begin(ScriptedPeer server, bool inTransaction)
    {
        if (inTransaction)
        {
            server.ExpectBegin();
            server.Send.ParseComplete().BindComplete().CommandComplete("BEGIN");
        }
        Assert.That(server.Expect<Parse>().Sql, Is.EqualTo(Import));
        server.Expect<Bind>();
        server.Expect<Execute>();
        server.Expect<Flush>();
    }

    private static void Refuse(ScriptedPeer server) => server.Send.ErrorResponse("23514");

    private Task<PgBinaryImporter> BeginImport() =>
        Mode.Run(() => Connection.BeginBinaryImport(Import), () => Connection.BeginBinaryImportAsync(Import));

    private async Task<ulong> Copy()
    {
        var importer = await BeginImport();
        try
        {
            for (var i = 0; i < 2; i++)
                await Mode.Run(() => importer.WriteRow(1), () => importer.WriteRowAsync(default, 1));
            return await Mode.Run(importer.Complete, () => importer.CompleteAsync().AsTask());
        }
        finally
        {
            await Mode.Run(importer.Dispose, () => importer.DisposeAsync().AsTask());
        }
    }

    // The question for the columns, and the import.
    private async Task OpenWithServer(bool inTransaction, Action<ScriptedPeer> import)
    {
        Play(server =>
        {
            server.Login();
            server.Expect<Parse>();
            server.Expect<Bind>();
            server.Expect<Execute>();
            server.Expect<Sync>();
            server.Channel.AwaitClientWaiting();
            Assert.That(server.Channel.Unread, Is.Zero, "behind the question");
            server.Send.ParseComplete().BindComplete()
                .DataRow(Encoding.UTF8.GetBytes("n"), Answer.Int32(23), Answer.Int32(-1), [0], [0], [0], [0]).CommandComplete("SELECT 1").ReadyForQuery();
            import(server);
            server.AnswerCommand();
        });
        await Open("Pooler=Transaction");
    }
}
