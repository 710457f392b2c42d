using System.Globalization;
using System.Text;
using Npgsql.Replication;
using NpgsqlMessages = Npgsql.Replication.PgOutput.Messages;
using NpgsqlOutput = Npgsql.Replication.PgOutput;

namespace Loxo.IntegrationTests.Replication;

/// <summary>Both drivers read the same changes from a slot each, and see the same messages: a program of the seed's statements, in every version.</summary>
public class PgOutputDifferentialTests : ReplicationTest
{
    private const string End = "the end";

    [Test]
    public async Task Messages_are_those_that_Npgsql_reads(
        [Values] PgOutputProtocolVersion version, [Values(null, true)] bool? binary, [Values(1, 2, 3)] int seed)
    {
        if (version == PgOutputProtocolVersion.V4 && TestServer.Version < 16)
        {
            await AssertRefused(version);
            return;
        }
        var streams = version switch
        {
            PgOutputProtocolVersion.V1 => (PgOutputStreamingMode?)null,
            PgOutputProtocolVersion.V4 => PgOutputStreamingMode.Parallel,
            _ => PgOutputStreamingMode.On,
        };
        var twoPhase = version >= PgOutputProtocolVersion.V3;
        await Execute($"ALTER DATABASE {Database} SET logical_decoding_work_mem = '64kB'");
        await Execute("""
            CREATE TYPE mood AS ENUM ('sad', 'happy');
            CREATE TABLE by_key (id int PRIMARY KEY, name text, at timestamptz, amount numeric, mood mood, tags text[]);
            CREATE TABLE full_row (id int, note text, big text);
            ALTER TABLE full_row REPLICA IDENTITY FULL;
            CREATE TABLE by_index (a int NOT NULL, b int NOT NULL, c text);
            CREATE UNIQUE INDEX by_index_key ON by_index (a, b);
            ALTER TABLE by_index REPLICA IDENTITY USING INDEX by_index_key;
            ALTER TABLE by_key ALTER name SET STORAGE EXTERNAL;
            CREATE PUBLICATION p FOR TABLE by_key, full_row, by_index
            """);
        var ours = await OpenLogical();
        var slot = await ours.CreatePgOutputReplicationSlot(NewSlot(), twoPhase: twoPhase, cancellationToken: Limit);
        await using var theirs = new Npgsql.Replication.LogicalReplicationConnection(ConnectionString);
        await theirs.Open(Limit);
        var theirSlot = await Npgsql.Replication.PgOutputConnectionExtensions.CreatePgOutputReplicationSlot(theirs, NewSlot(), twoPhase: twoPhase, cancellationToken: Limit);
        foreach (var statement in Workload(new Random(seed), twoPhase))
            await Execute(statement);
        await Execute($"SELECT pg_logical_emit_message(false, '{End}', '')");

        var found = new List<string>();
        await foreach (var message in ours.StartReplication(slot, new("p", version, binary, streams, messages: true, twoPhase ? true : null), Limit))
        {
            found.Add(await Show(message));
            if (message is LogicalDecodingMessage { Prefix: End })
                break;
        }
        var expected = new List<string>();
        var options = new NpgsqlOutput.PgOutputReplicationOptions("p", (NpgsqlOutput.PgOutputProtocolVersion)version, binary,
            (NpgsqlOutput.PgOutputStreamingMode?)streams, messages: true, twoPhase ? true : null);
        await foreach (var message in Npgsql.Replication.PgOutputConnectionExtensions.StartReplication(theirs, theirSlot, options, Limit))
        {
            expected.Add(await Show(message));
            if (message is NpgsqlMessages.LogicalDecodingMessage { Prefix: End })
                break;
        }

        Assert.That(Comparable(found), Is.EqualTo(Comparable(expected)));
        Assert.That(found, Has.Count.GreaterThan(50));
        if (streams is not null)
            Assert.That(found.Any(line => line.StartsWith("StreamStart", StringComparison.Ordinal)), Is.True, "no transaction was large enough to be streamed");
        await Execute("DROP PUBLICATION p");
    }

    private static List<string> Comparable(List<string> lines) => InOnePart(WithoutRepeats(WithoutUndoneRows(lines)));

    // The server stops streaming a transaction, or a part of it, as soon as it learns that it was rolled back: after more rows or fewer.
    private static List<string> WithoutUndoneRows(List<string> lines)
    {
        var undone = lines.Where(static line => line.Contains("StreamAbort ", StringComparison.Ordinal)).Select(static line => line.Split(' ')[2]).ToHashSet();
        return [.. lines.Where(line => line.Split(' ', 3) is not ["Insert" or "KeyDelete", var xid, _] || !undone.Contains(xid))];
    }

    // A server process describes a table or type again when its cache was invalidated, which others may do at any time.
    private static List<string> WithoutRepeats(IEnumerable<string> lines)
    {
        var (known, kept) = (new Dictionary<string, string>(), new List<string>());
        foreach (var line in lines)
        {
            if (line.Split(' ', 4) is ["Relation" or "Type", _, var id, var description])
            {
                if (known.GetValueOrDefault(id) == description)
                    continue;
                known[id] = description;
            }
            kept.Add(line);
        }
        return kept;
    }

    // Where a large transaction is divided depends on the memory of the server process.
    private static List<string> InOnePart(List<string> lines) =>
    [
        .. lines.Where((line, i) => !(line == "StreamStop" && i + 1 < lines.Count && IsContinued(lines[i + 1]))
            && !(i > 0 && lines[i - 1] == "StreamStop" && IsContinued(line))),
    ];

    private static bool IsContinued(string line) =>
        line.StartsWith("StreamStart ", StringComparison.Ordinal) && line.EndsWith(" 0", StringComparison.Ordinal);

    private static IEnumerable<string> Workload(Random random, bool twoPhase)
    {
        yield return "INSERT INTO by_key SELECT i, 'name ' || i, '2024-02-29 12:00:00+00', i / 7.0, 'happy', ARRAY['a', NULL, 'c'] FROM generate_series(1, 5) i";
        for (var i = 0; i < 25; i++)
        {
            var id = random.Next(1000, 2000) + (i * 10_000);
            yield return random.Next(twoPhase ? 12 : 10) switch
            {
                0 => $"INSERT INTO by_key VALUES ({id}, NULL, NULL, NULL, NULL, NULL)",
                1 => $"INSERT INTO by_key (id, name) VALUES ({id}, repeat('large', 2000)); UPDATE by_key SET mood = 'sad' WHERE id = {id}",
                2 => "UPDATE by_key SET id = -id WHERE id IN (SELECT max(id) FROM by_key)",
                3 => $"INSERT INTO full_row VALUES ({id}, 'note', repeat('x', 5000)); UPDATE full_row SET note = NULL; DELETE FROM full_row WHERE id = {id}",
                4 => $"INSERT INTO by_index VALUES ({id}, 2, 'c'); UPDATE by_index SET b = b + 1; UPDATE by_index SET c = NULL; DELETE FROM by_index",
                5 => $"TRUNCATE {(random.Next(2) == 0 ? "by_index" : "full_row, by_index RESTART IDENTITY CASCADE")}",
                6 => $"SELECT pg_logical_emit_message({(random.Next(2) == 0 ? "true" : "false")}, 'prefix', 'a message')",
                7 => $"ALTER TABLE by_index ADD extra_{i} date DEFAULT '2000-01-01'; INSERT INTO by_index (a, b) VALUES ({id}, 1)",
                8 => $"INSERT INTO by_key (id, name) SELECT {id} + i, repeat('s', 200) FROM generate_series(1, 900) i; DELETE FROM by_key WHERE id > {id}",
                9 => $"BEGIN; INSERT INTO by_key (id, name) SELECT {id} + i, repeat('s', 200) FROM generate_series(1, 900) i; SAVEPOINT a; "
                    + $"INSERT INTO by_key (id, name) SELECT {id} + 1000 + i, repeat('s', 200) FROM generate_series(1, 900) i; ROLLBACK TO a; {(random.Next(3) == 0 ? "ROLLBACK" : "COMMIT")}",
                10 => $"BEGIN; INSERT INTO full_row VALUES ({id}); PREPARE TRANSACTION 'prepared {id}'; {(random.Next(2) == 0 ? "COMMIT" : "ROLLBACK")} PREPARED 'prepared {id}'",
                _ => $"BEGIN; INSERT INTO full_row SELECT {id}, repeat('p', 200) FROM generate_series(1, 900); PREPARE TRANSACTION 'large {id}'; COMMIT PREPARED 'large {id}'",
            };
        }
        yield return "INSERT INTO by_key (id, name) SELECT 1000000 + i, repeat('s', 200) FROM generate_series(1, 2000) i";
    }

    private static async Task<string> Show(PgOutputReplicationMessage message) => message switch
    {
        BeginMessage m => $"Begin {m.TransactionXid} {m.TransactionFinalLsn} {Show(m.TransactionCommitTimestamp)}",
        CommitMessage m => $"Commit {(int)m.Flags} {m.CommitLsn} {m.TransactionEndLsn} {Show(m.TransactionCommitTimestamp)}",
        RelationMessage m => $"Relation {m.TransactionXid} {m.RelationId} {m.Namespace} {m.RelationName} {m.ReplicaIdentity} "
            + string.Join(", ", m.Columns.Select(c => $"{c.Flags} {c.ColumnName} {c.DataTypeId} {c.TypeModifier}")),
        TypeMessage m => $"Type {m.TransactionXid} {m.TypeId} {m.Namespace} {m.Name}",
        InsertMessage m => $"Insert {m.TransactionXid} {m.Relation.RelationName} {await Show(m.NewRow)}",
        DefaultUpdateMessage m => $"Update {m.TransactionXid} {m.Relation.RelationName} {await Show(m.NewRow)}",
        IndexUpdateMessage m => $"IndexUpdate {m.TransactionXid} {m.Relation.RelationName} {await Show(m.Key)} {await Show(m.NewRow)}",
        FullUpdateMessage m => $"FullUpdate {m.TransactionXid} {m.Relation.RelationName} {await Show(m.OldRow)} {await Show(m.NewRow)}",
        KeyDeleteMessage m => $"KeyDelete {m.TransactionXid} {m.Relation.RelationName} {await Show(m.Key)}",
        FullDeleteMessage m => $"FullDelete {m.TransactionXid} {m.Relation.RelationName} {await Show(m.OldRow)}",
        TruncateMessage m => $"Truncate {m.TransactionXid} {(int)m.Options} {string.Join(", ", m.Relations.Select(r => r.RelationName))}",
        LogicalDecodingMessage m => $"Message {m.TransactionXid ?? 0} {m.Flags} {m.MessageLsn} {m.Prefix} {new StreamReader(m.Data).ReadToEnd()}",
        OriginMessage m => $"Origin {m.OriginCommitLsn} {m.OriginName}",
        StreamStartMessage m => $"StreamStart {m.TransactionXid} {m.StreamSegmentIndicator}",
        StreamStopMessage => "StreamStop",
        StreamCommitMessage m => $"StreamCommit {m.TransactionXid} {m.CommitLsn} {m.TransactionEndLsn} {Show(m.TransactionCommitTimestamp)}",
        ParallelStreamAbortMessage m => $"ParallelStreamAbort {m.TransactionXid} {m.SubtransactionXid} {m.AbortLsn} {Show(m.AbortTimestamp)}",
        StreamAbortMessage m => $"StreamAbort {m.TransactionXid} {m.SubtransactionXid}",
        BeginPrepareMessage m => $"BeginPrepare {m.TransactionXid} {m.TransactionGid} {m.PrepareLsn} {m.PrepareEndLsn} {Show(m.TransactionPrepareTimestamp)}",
        PrepareMessage m => $"Prepare {m.TransactionXid} {m.TransactionGid} {m.PrepareLsn} {m.PrepareEndLsn} {Show(m.TransactionPrepareTimestamp)}",
        StreamPrepareMessage m => $"StreamPrepare {m.TransactionXid} {m.TransactionGid} {m.PrepareLsn} {m.PrepareEndLsn} {Show(m.TransactionPrepareTimestamp)}",
        CommitPreparedMessage m => $"CommitPrepared {m.TransactionXid} {m.TransactionGid} {m.CommitPreparedLsn} {m.CommitPreparedEndLsn} {Show(m.TransactionCommitTimestamp)}",
        RollbackPreparedMessage m => $"RollbackPrepared {m.TransactionXid} {m.TransactionGid} {m.PreparedTransactionEndLsn} {m.RollbackPreparedEndLsn} "
            + $"{Show(m.TransactionPrepareTimestamp)} {Show(m.TransactionRollbackTimestamp)}",
        _ => throw new AssertionException($"Another message: {message}"),
    };

    private static async Task<string> Show(NpgsqlMessages.PgOutputReplicationMessage message) => message switch
    {
        NpgsqlMessages.BeginMessage m => $"Begin {m.TransactionXid} {m.TransactionFinalLsn} {Show(m.TransactionCommitTimestamp)}",
        NpgsqlMessages.CommitMessage m => $"Commit {(int)m.Flags} {m.CommitLsn} {m.TransactionEndLsn} {Show(m.TransactionCommitTimestamp)}",
        NpgsqlMessages.RelationMessage m => $"Relation {m.TransactionXid} {m.RelationId} {m.Namespace} {m.RelationName} {m.ReplicaIdentity} "
            + string.Join(", ", m.Columns.Select(c => $"{c.Flags} {c.ColumnName} {c.DataTypeId} {c.TypeModifier}")),
        NpgsqlMessages.TypeMessage m => $"Type {m.TransactionXid} {m.TypeId} {m.Namespace} {m.Name}",
        NpgsqlMessages.InsertMessage m => $"Insert {m.TransactionXid} {m.Relation.RelationName} {await Show(m.NewRow)}",
        NpgsqlMessages.DefaultUpdateMessage m => $"Update {m.TransactionXid} {m.Relation.RelationName} {await Show(m.NewRow)}",
        NpgsqlMessages.IndexUpdateMessage m => $"IndexUpdate {m.TransactionXid} {m.Relation.RelationName} {await Show(m.Key)} {await Show(m.NewRow)}",
        NpgsqlMessages.FullUpdateMessage m => $"FullUpdate {m.TransactionXid} {m.Relation.RelationName} {await Show(m.OldRow)} {await Show(m.NewRow)}",
        NpgsqlMessages.KeyDeleteMessage m => $"KeyDelete {m.TransactionXid} {m.Relation.RelationName} {await Show(m.Key)}",
        NpgsqlMessages.FullDeleteMessage m => $"FullDelete {m.TransactionXid} {m.Relation.RelationName} {await Show(m.OldRow)}",
        NpgsqlMessages.TruncateMessage m => $"Truncate {m.TransactionXid} {(int)m.Options} {string.Join(", ", m.Relations.Select(r => r.RelationName))}",
        NpgsqlMessages.LogicalDecodingMessage m => $"Message {m.TransactionXid ?? 0} {m.Flags} {m.MessageLsn} {m.Prefix} {await new StreamReader(m.Data).ReadToEndAsync()}",
        NpgsqlMessages.OriginMessage m => $"Origin {m.OriginCommitLsn} {m.OriginName}",
        NpgsqlMessages.StreamStartMessage m => $"StreamStart {m.TransactionXid} {m.StreamSegmentIndicator}",
        NpgsqlMessages.StreamStopMessage => "StreamStop",
        NpgsqlMessages.StreamCommitMessage m => $"StreamCommit {m.TransactionXid} {m.CommitLsn} {m.TransactionEndLsn} {Show(m.TransactionCommitTimestamp)}",
        NpgsqlMessages.ParallelStreamAbortMessage m => $"ParallelStreamAbort {m.TransactionXid} {m.SubtransactionXid} {m.AbortLsn} {Show(m.AbortTimestamp)}",
        NpgsqlMessages.StreamAbortMessage m => $"StreamAbort {m.TransactionXid} {m.SubtransactionXid}",
        NpgsqlMessages.BeginPrepareMessage m => $"BeginPrepare {m.TransactionXid} {m.TransactionGid} {m.PrepareLsn} {m.PrepareEndLsn} {Show(m.TransactionPrepareTimestamp)}",
        NpgsqlMessages.PrepareMessage m => $"Prepare {m.TransactionXid} {m.TransactionGid} {m.PrepareLsn} {m.PrepareEndLsn} {Show(m.TransactionPrepareTimestamp)}",
        NpgsqlMessages.StreamPrepareMessage m => $"StreamPrepare {m.TransactionXid} {m.TransactionGid} {m.PrepareLsn} {m.PrepareEndLsn} {Show(m.TransactionPrepareTimestamp)}",
        NpgsqlMessages.CommitPreparedMessage m => $"CommitPrepared {m.TransactionXid} {m.TransactionGid} {m.CommitPreparedLsn} {m.CommitPreparedEndLsn} {Show(m.TransactionCommitTimestamp)}",
        NpgsqlMessages.RollbackPreparedMessage m => $"RollbackPrepared {m.TransactionXid} {m.TransactionGid} {m.PreparedTransactionEndLsn} {m.RollbackPreparedEndLsn} "
            + $"{Show(m.TransactionPrepareTimestamp)} {Show(m.TransactionRollbackTimestamp)}",
        _ => throw new AssertionException($"Another message: {message}"),
    };

    private static string Show(DateTime time) => time.ToString("O", CultureInfo.InvariantCulture);

    private static async Task<string> Show(ReplicationTuple row)
    {
        var text = new StringBuilder("(");
        await foreach (var value in row)
        {
            text.Append($"{value.Kind} {value.Length} {value.GetFieldName()} {value.GetDataTypeName()}=");
            if (value is { IsDBNull: false, IsUnchangedToastedValue: false })
                text.Append(Show(await value.Get()));
            text.Append("; ");
        }
        return text.Append(')').ToString();
    }

    private static async Task<string> Show(NpgsqlOutput.ReplicationTuple row)
    {
        var text = new StringBuilder("(");
        await foreach (var value in row)
        {
            text.Append($"{value.Kind} {value.Length} {value.GetFieldName()} {value.GetDataTypeName()}=");
            if (value is { IsDBNull: false, IsUnchangedToastedValue: false })
                text.Append(Show(await value.Get()));
            text.Append("; ");
        }
        return text.Append(')').ToString();
    }

    private static string Show(object value) => $"{value.GetType().Name} " + value switch
    {
        DateTime time => Show(time),
        Array array => string.Join(",", array.Cast<object?>()),
        _ => Convert.ToString(value, CultureInfo.InvariantCulture),
    };
}
