using Loxo.Protocol.Backend;
using Loxo.Session;
using Loxo.Types;

namespace Loxo.Replication;

/// <summary>
/// Makes messages of what pgoutput sends, and keeps the tables that it has described (manual, "Logical Replication Message Formats").
/// </summary>
/// <param name="types">The types that are known at the moment.</param>
internal sealed class PgOutputDecoder(Func<DatabaseTypes> types)
{
    private readonly Dictionary<uint, RelationMessage> _relations = [];
    // Messages of a transaction that has not ended carry its id.
    private bool _isInStream;
    // Those of the tables that were described last.
    private DatabaseTypes? _types;
    private WalHead _head;

    /// <summary>A replication begins.</summary>
    public void Begin() => _isInStream = false;

    /// <summary>Decodes the message that the stream has just read.</summary>
    /// <exception cref="PgException">It makes no sense; the connection is closed then.</exception>
    public PgOutputReplicationMessage Decode(WalStream stream)
    {
        _head = stream.Head;
        try
        {
            return Decode(new ValueReader(stream.Data));
        }
        catch (PgException e)
        {
            throw stream.Failed(e);
        }
    }

    /// <summary>Looks up the types of a table's columns that are not known.</summary>
    /// <returns>The table with the types that are known now.</returns>
    public async ValueTask<RelationMessage> LookUpAsync(
        RelationMessage relation, ReplicationConnection connection, CancellationToken token)
    {
        if (UnknownTypes(relation) is not { Count: > 0 } unknown)
            return relation;
        await SpareSession.LookUpAsync(connection.Context, unknown, connection.Timeout, token).ConfigureAwait(false);
        return Known(relation);
    }

    /// <summary>
    /// A transaction begins: where a value has shown that a type was altered, which the server does not tell, the types are looked up anew.
    /// </summary>
    public async ValueTask RefreshAsync(ReplicationConnection connection, CancellationToken token)
    {
        if (_types is not { IsOutdated: true })
            return;
        foreach (var relation in _relations.Values.Where(relation => relation.Types.IsOutdated).ToList())
            await LookUpAsync(Known(relation), connection, token).ConfigureAwait(false);
    }

    private IReadOnlyCollection<uint> UnknownTypes(RelationMessage relation)
    {
        var known = types();
        return [.. relation.Columns.Select(column => column.DataTypeId).Where(type => known.Find(type) is null).Distinct()];
    }

    /// <summary>Decodes one message.</summary>
    /// <exception cref="PgException">It makes no sense.</exception>
    internal PgOutputReplicationMessage Decode(ValueReader body) => body.ReadByte() switch
    {
        (byte)'B' => BeginOf(ref body),
        (byte)'C' => Commit(ref body),
        (byte)'O' => Origin(ref body),
        (byte)'M' => Message(ref body),
        (byte)'R' => Relation(ref body),
        (byte)'Y' => TypeOf(ref body),
        (byte)'I' => Insert(ref body),
        (byte)'U' => Update(ref body),
        (byte)'D' => Delete(ref body),
        (byte)'T' => Truncate(ref body),
        (byte)'S' => StreamStart(ref body),
        (byte)'E' => StreamStop(),
        (byte)'c' => StreamCommit(ref body),
        (byte)'A' => StreamAbort(ref body),
        (byte)'b' => BeginPrepare(ref body),
        (byte)'P' => Prepare(ref body),
        (byte)'p' => StreamPrepare(ref body),
        (byte)'K' => CommitPrepared(ref body),
        (byte)'r' => RollbackPrepared(ref body),
        var type => throw ReplicationErrors.Malformed(
            string.Create(CultureInfo.InvariantCulture, $"a message of pgoutput has the unknown type 0x{type:x2}")),
    };

    private static PgLogSequenceNumber Place(ref ValueReader body) => new((ulong)body.ReadInt64());

    private static DateTime Time(ref ValueReader body) => ServerClock.ToTime(body.ReadInt64());

    private uint? Xid(ref ValueReader body) => _isInStream ? body.ReadUInt32() : null;

    private BeginMessage BeginOf(ref ValueReader body) => new()
    {
        Head = _head,
        TransactionFinalLsn = Place(ref body), TransactionCommitTimestamp = Time(ref body), TransactionXid = body.ReadUInt32(),
    };

    private CommitMessage Commit(ref ValueReader body) => new()
    {
        Head = _head, Flags = (CommitMessage.CommitFlags)body.ReadByte(),
        CommitLsn = Place(ref body), TransactionEndLsn = Place(ref body), TransactionCommitTimestamp = Time(ref body),
    };

    private OriginMessage Origin(ref ValueReader body) => new()
    {
        Head = _head, OriginCommitLsn = Place(ref body), OriginName = body.ReadCString(),
    };

    private LogicalDecodingMessage Message(ref ValueReader body)
    {
        var xid = Xid(ref body);
        var (flags, place, prefix) = (body.ReadByte(), Place(ref body), body.ReadCString());
        return new(body.ReadBytes(body.ReadInt32()).ToArray())
        {
            Head = _head,
            // A message that belongs to no transaction has none.
            TransactionXid = xid is 0 ? null : xid, Flags = flags, MessageLsn = place, Prefix = prefix,
        };
    }

    private RelationMessage Relation(ref ValueReader body)
    {
        var xid = Xid(ref body);
        var (id, schema, name) = (body.ReadUInt32(), body.ReadCString(), body.ReadCString());
        var identity = (RelationMessage.ReplicaIdentitySetting)body.ReadByte();
        var columns = new RelationMessage.Column[body.ReadCount()];
        for (var i = 0; i < columns.Length; i++)
            columns[i] = new((RelationMessage.Column.ColumnFlags)body.ReadByte(), body.ReadCString(), body.ReadUInt32(), body.ReadInt32());
        return _relations[id] = new(columns, _types = types())
        {
            Head = _head, TransactionXid = xid,
            RelationId = id, Namespace = schema, RelationName = name, ReplicaIdentity = identity,
        };
    }

    private RelationMessage Known(RelationMessage relation) =>
        _relations[relation.RelationId] = new(relation.Columns, _types = types())
        {
            Head = relation.Head,
            TransactionXid = relation.TransactionXid, RelationId = relation.RelationId, Namespace = relation.Namespace,
            RelationName = relation.RelationName, ReplicaIdentity = relation.ReplicaIdentity,
        };

    private TypeMessage TypeOf(ref ValueReader body) => new()
    {
        Head = _head, TransactionXid = Xid(ref body),
        TypeId = body.ReadUInt32(), Namespace = body.ReadCString(), Name = body.ReadCString(),
    };

    private InsertMessage Insert(ref ValueReader body)
    {
        var xid = Xid(ref body);
        var relation = Find(body.ReadUInt32());
        Expect(body.ReadByte(), (byte)'N');
        return new(relation, Tuple(relation, ref body))
        {
            Head = _head, TransactionXid = xid,
        };
    }

    private UpdateMessage Update(ref ValueReader body)
    {
        var xid = Xid(ref body);
        var relation = Find(body.ReadUInt32());
        var kind = body.ReadByte();
        if (kind == (byte)'N')
        {
            return new DefaultUpdateMessage(relation, Tuple(relation, ref body))
            {
                Head = _head, TransactionXid = xid,
            };
        }
        var old = Tuple(relation, ref body);
        Expect(body.ReadByte(), (byte)'N');
        var now = Tuple(relation, ref body);
        return kind switch
        {
            (byte)'K' => new IndexUpdateMessage(relation, old, now)
            {
                Head = _head, TransactionXid = xid,
            },
            (byte)'O' => new FullUpdateMessage(relation, old, now)
            {
                Head = _head, TransactionXid = xid,
            },
            _ => throw UnknownTuple(kind),
        };
    }

    private DeleteMessage Delete(ref ValueReader body)
    {
        var xid = Xid(ref body);
        var relation = Find(body.ReadUInt32());
        var kind = body.ReadByte();
        var old = Tuple(relation, ref body);
        return kind switch
        {
            (byte)'K' => new KeyDeleteMessage(relation, old)
            {
                Head = _head, TransactionXid = xid,
            },
            (byte)'O' => new FullDeleteMessage(relation, old)
            {
                Head = _head, TransactionXid = xid,
            },
            _ => throw UnknownTuple(kind),
        };
    }

    private TruncateMessage Truncate(ref ValueReader body)
    {
        var xid = Xid(ref body);
        var count = body.ReadInt32();
        var options = (TruncateMessage.TruncateOptions)body.ReadByte();
        if (count < 0 || count > body.Rest.Length / sizeof(uint))
            throw ReplicationErrors.Malformed("a message of pgoutput ends within its list of tables");
        var relations = new RelationMessage[count];
        for (var i = 0; i < count; i++)
            relations[i] = Find(body.ReadUInt32());
        return new(relations)
        {
            Head = _head, TransactionXid = xid, Options = options,
        };
    }

    private StreamStartMessage StreamStart(ref ValueReader body)
    {
        _isInStream = true;
        return new()
        {
            Head = _head,
            TransactionXid = body.ReadUInt32(), StreamSegmentIndicator = body.ReadByte(),
        };
    }

    private StreamStopMessage StreamStop()
    {
        _isInStream = false;
        return new() { Head = _head };
    }

    private StreamCommitMessage StreamCommit(ref ValueReader body) => new()
    {
        Head = _head, TransactionXid = body.ReadUInt32(), Flags = body.ReadByte(),
        CommitLsn = Place(ref body), TransactionEndLsn = Place(ref body), TransactionCommitTimestamp = Time(ref body),
    };

    private StreamAbortMessage StreamAbort(ref ValueReader body)
    {
        var (xid, part) = (body.ReadUInt32(), body.ReadUInt32());
        if (body.IsAtEnd)
        {
            return new()
            {
                Head = _head, TransactionXid = xid, SubtransactionXid = part,
            };
        }
        return new ParallelStreamAbortMessage
        {
            Head = _head, TransactionXid = xid, SubtransactionXid = part,
            AbortLsn = Place(ref body), AbortTimestamp = Time(ref body),
        };
    }

    private BeginPrepareMessage BeginPrepare(ref ValueReader body) => new()
    {
        Head = _head,
        PrepareLsn = Place(ref body), PrepareEndLsn = Place(ref body), TransactionPrepareTimestamp = Time(ref body),
        TransactionXid = body.ReadUInt32(), TransactionGid = body.ReadCString(),
    };

    private PrepareMessage Prepare(ref ValueReader body) => new()
    {
        Head = _head, Flags = (PrepareMessage.PrepareFlags)body.ReadByte(),
        PrepareLsn = Place(ref body), PrepareEndLsn = Place(ref body), TransactionPrepareTimestamp = Time(ref body),
        TransactionXid = body.ReadUInt32(), TransactionGid = body.ReadCString(),
    };

    private StreamPrepareMessage StreamPrepare(ref ValueReader body) => new()
    {
        Head = _head, Flags = (StreamPrepareMessage.StreamPrepareFlags)body.ReadByte(),
        PrepareLsn = Place(ref body), PrepareEndLsn = Place(ref body), TransactionPrepareTimestamp = Time(ref body),
        TransactionXid = body.ReadUInt32(), TransactionGid = body.ReadCString(),
    };

    private CommitPreparedMessage CommitPrepared(ref ValueReader body) => new()
    {
        Head = _head, Flags = (CommitPreparedMessage.CommitPreparedFlags)body.ReadByte(),
        CommitPreparedLsn = Place(ref body), CommitPreparedEndLsn = Place(ref body), TransactionCommitTimestamp = Time(ref body),
        TransactionXid = body.ReadUInt32(), TransactionGid = body.ReadCString(),
    };

    private RollbackPreparedMessage RollbackPrepared(ref ValueReader body) => new()
    {
        Head = _head,
        Flags = (RollbackPreparedMessage.RollbackPreparedFlags)body.ReadByte(),
        PreparedTransactionEndLsn = Place(ref body), RollbackPreparedEndLsn = Place(ref body),
        TransactionPrepareTimestamp = Time(ref body), TransactionRollbackTimestamp = Time(ref body),
        TransactionXid = body.ReadUInt32(), TransactionGid = body.ReadCString(),
    };

    private RelationMessage Find(uint id) => _relations.TryGetValue(id, out var relation)
        ? relation
        : throw ReplicationErrors.Malformed("a change is of a table that was not described");

    // Checked as a whole here, so that reading it needs no checks.
    private static ReplicationTuple Tuple(RelationMessage relation, ref ValueReader body)
    {
        if (body.ReadCount() != relation.Columns.Count)
            throw ReplicationErrors.Malformed("a row has another number of columns than its table");
        var columns = body.Rest;
        for (var i = 0; i < relation.Columns.Count; i++)
        {
            switch ((TupleDataKind)body.ReadByte())
            {
                case TupleDataKind.Null or TupleDataKind.UnchangedToastedValue:
                    break;
                case TupleDataKind.TextValue or TupleDataKind.BinaryValue:
                    body.ReadBytes(body.ReadInt32());
                    break;
                default:
                    throw ReplicationErrors.Malformed("a value of a row is of an unknown kind");
            }
        }
        return new ReplicationTuple(relation, columns[..^body.Rest.Length]);
    }

    private static void Expect(byte found, byte expected)
    {
        if (found != expected)
            throw UnknownTuple(found);
    }

    private static PgException UnknownTuple(byte kind) =>
        ReplicationErrors.Malformed(string.Create(CultureInfo.InvariantCulture, $"a row is of the unknown kind 0x{kind:x2}"));
}
