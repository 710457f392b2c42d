namespace Loxo.Replication;

/// <summary>One connection of a <see cref="PgChangeStream"/>: collects the changes of each transaction until its commit has come.</summary>
internal sealed class ChangeReader : IAsyncDisposable
{
    private readonly LogicalReplicationConnection _connection;
    private readonly PgOutputDecoder _decoder;
    private WalStream? _stream;
    private BeginMessage? _begin;
    private string? _origin;
    private List<TransactionalMessage> _changes = [];

    public ChangeReader(LogicalReplicationConnection connection)
    {
        _connection = connection;
        _decoder = connection.Decoder;
    }

    /// <summary>Starts to read.</summary>
    /// <param name="slot">The slot's name.</param>
    /// <param name="publications">At least one.</param>
    /// <param name="messages">Whether messages of programs are read.</param>
    /// <param name="place">Transactions that end before it are left out.</param>
    /// <param name="idled">Called with the place up to which there is no transaction that was not returned.</param>
    /// <param name="token">Cancels it.</param>
    public async Task StartAsync(
        string slot, IReadOnlyList<string> publications, bool messages, PgLogSequenceNumber place, Action<PgLogSequenceNumber> idled,
        CancellationToken token)
    {
        var version = _connection.PostgreSqlVersion.Major;
        var options = new PgOutputReplicationOptions(
            publications, PgOutputProtocolVersion.V1, binary: version >= 14 ? true : null, messages: messages ? true : null);
        _stream = await _connection.StartLogical(slot, place, options.Pairs(), token, isLast: true).ConfigureAwait(false);
        _stream.Idled = sent =>
        {
            if (_begin is null)
                idled(sent);
        };
    }

    /// <summary>The end of the log on the server, when the last message was sent.</summary>
    public PgLogSequenceNumber ServerEnd => _stream!.Head.WalEnd;

    /// <summary>Reads the next transaction; null if the server has ended the stream.</summary>
    public async ValueTask<PgChangeTransaction?> ReadAsync(CancellationToken token)
    {
        while (await _stream!.ReadAsync(token).ConfigureAwait(false))
        {
            switch (_decoder.Decode(_stream))
            {
                case BeginMessage begin:
                    (_begin, _origin, _changes) = (begin, null, []);
                    await _decoder.RefreshAsync(_connection, token).ConfigureAwait(false);
                    break;
                case OriginMessage origin:
                    _origin = origin.OriginName;
                    break;
                case RelationMessage relation:
                    await _decoder.LookUpAsync(relation, _connection, token).ConfigureAwait(false);
                    break;
                case LogicalDecodingMessage { Flags: 0 } message:
                    // The next byte: the server would send it again to a reader that begins at its place.
                    return new(0, message.MessageLsn, message.MessageLsn + 1, message.ServerClock, null, [message]);
                case TransactionalMessage change and not TypeMessage:
                    _changes.Add(change);
                    break;
                case CommitMessage commit when _begin is { } begin:
                    _begin = null;
                    return new(begin.TransactionXid, commit.CommitLsn, commit.TransactionEndLsn, commit.TransactionCommitTimestamp,
                        _origin, _changes);
            }
        }
        return null;
    }

    public async ValueTask DisposeAsync()
    {
        if (_stream is not null)
            await _stream.DisposeAsync().ConfigureAwait(false);
        await _connection.DisposeAsync().ConfigureAwait(false);
    }
}
