using System.Runtime.CompilerServices;
using System.Text;
using Loxo.Replication;
using Loxo.Sql;

namespace Loxo;

/// <summary>
/// A connection that reads changes as an output plugin of the server decodes them: pgoutput with
/// <see cref="PgOutputConnectionExtensions"/>, test_decoding with <see cref="TestDecodingConnectionExtensions"/>.
/// </summary>
public sealed class LogicalReplicationConnection : ReplicationConnection
{
    private const string Mode = "database";

    /// <summary>A connection whose <see cref="ReplicationConnection.ConnectionString"/> is still to be set.</summary>
    public LogicalReplicationConnection()
        : this((string?)null)
    {
    }

    /// <param name="connectionString">Keywords and values; null for none yet.</param>
    public LogicalReplicationConnection(string? connectionString)
        : base(Mode, connectionString)
    {
    }

    /// <param name="dataSource">Whose settings, passwords and mapped types it has.</param>
    public LogicalReplicationConnection(PgDataSource dataSource)
        : base(Mode, dataSource)
    {
    }

    /// <summary>
    /// The tables that pgoutput has described. They outlive a replication, as the server's own list of them does where a replication is
    /// cancelled (RelationSyncCache in pgoutput.c, seen with PostgreSQL 15).
    /// </summary>
    internal PgOutputDecoder Decoder => field ??= new PgOutputDecoder(() => Context.Database.Types);

    internal async Task<ReplicationSlotOptions> CreateSlot(
        string name, string plugin, bool isTemporary, LogicalSlotSnapshotInitMode? snapshot, bool twoPhase, bool failover,
        CancellationToken token)
    {
        var version = PostgreSqlVersion.Major;
        if (twoPhase && version < 15)
            throw ReplicationErrors.NeedsServer("A slot for two-phase commit", 15);
        if (failover)
            RequireFailover();
        var command = $"CREATE_REPLICATION_SLOT {SqlIdentifier.Quote(name)}{(isTemporary ? " TEMPORARY" : "")} LOGICAL "
            + SqlIdentifier.Quote(plugin) + SlotOptions(version, snapshot, twoPhase, failover);
        var row = await AskForRow(command, columns: 4, token).ConfigureAwait(false);
        return new(row[0]!, Place(row[1]), row[2]);
    }

    /// <summary>Throws where the server keeps no slots on standbys.</summary>
    internal void RequireFailover()
    {
        if (PostgreSqlVersion.Major < 17)
            throw ReplicationErrors.NeedsServer("A slot that is synchronized to standbys", 17);
    }

    internal Task AlterFailover(string slot, CancellationToken token) =>
        Run($"ALTER_REPLICATION_SLOT {SqlIdentifier.Quote(slot)} (FAILOVER true)", token);

    internal static string SlotOptions(int version, LogicalSlotSnapshotInitMode? snapshot, bool twoPhase, bool failover)
    {
        if (version < 15)
        {
            return snapshot switch
            {
                LogicalSlotSnapshotInitMode.Export => " EXPORT_SNAPSHOT",
                LogicalSlotSnapshotInitMode.Use => " USE_SNAPSHOT",
                LogicalSlotSnapshotInitMode.NoExport => " NOEXPORT_SNAPSHOT",
                _ => "",
            };
        }
        string?[] options =
        [
            snapshot switch
            {
                LogicalSlotSnapshotInitMode.Export => "SNAPSHOT 'export'",
                LogicalSlotSnapshotInitMode.Use => "SNAPSHOT 'use'",
                LogicalSlotSnapshotInitMode.NoExport => "SNAPSHOT 'nothing'",
                _ => null,
            },
            twoPhase ? "TWO_PHASE" : null,
            failover ? "FAILOVER" : null,
        ];
        var given = string.Join(", ", options.OfType<string>());
        return given.Length == 0 ? "" : $" ({given})";
    }

    internal Task<WalStream> StartLogical(
        string slot, PgLogSequenceNumber? place, IEnumerable<KeyValuePair<string, string?>> options, CancellationToken token,
        bool isLast = false)
    {
        var command = new StringBuilder("START_REPLICATION SLOT ");
        command.Append(SqlIdentifier.Quote(slot)).Append(" LOGICAL ").Append(place ?? default);
        var separator = " (";
        foreach (var (name, value) in options)
        {
            command.Append(separator).Append(SqlIdentifier.Quote(name));
            if (value is not null)
                command.Append(' ').Append(Quoted(value));
            separator = ", ";
        }
        if (separator == ", ")
            command.Append(')');
        return Start(command.ToString(), isPhysical: false, isLast, token);
    }

    internal async IAsyncEnumerable<XLogDataMessage> Read(
        string slot, PgLogSequenceNumber? place, IEnumerable<KeyValuePair<string, string?>> options,
        [EnumeratorCancellation] CancellationToken token)
    {
        var stream = await StartLogical(slot, place, options, token).ConfigureAwait(false);
        await using var ending = stream.ConfigureAwait(false);
        while (await stream.ReadAsync(token).ConfigureAwait(false))
        {
            var bytes = stream.DataSegment;
            using var data = new MemoryStream(bytes.Array!, bytes.Offset, bytes.Count, writable: false);
            yield return new XLogDataMessage
            {
                Head = stream.Head, Data = data,
            };
        }
    }
}
