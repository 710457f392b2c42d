using System.Text;
using Loxo.Copy;

namespace Loxo;

/// <summary>
/// Writes the text of a COPY ... FROM STDIN in text or CSV format. Made by <see cref="PgConnection.BeginTextImport"/>. Until it is
/// disposed,
/// the connection runs no other command.
/// </summary>
/// <remarks>
/// Disposing it makes the rows stay, as a <see cref="TextWriter"/> tells nothing else of its end, unless
/// <see cref="CompletesOnDispose"/> is off. An error of the server, a cancelled call or a timeout ends the copy, and nothing of it stays.
/// </remarks>
public sealed class PgCopyTextWriter : StreamWriter
{
    private const int BufferSize = 4096;

    private readonly PgRawCopyStream _stream;

    // A lone surrogate is an error: what would be stored in its place is nothing that anybody wrote.
    internal PgCopyTextWriter(PgRawCopyStream stream)
        : base(stream, MessageWriter.StrictUtf8, BufferSize) => _stream = stream;

    /// <inheritdoc cref="PgRawCopyStream.CompletesOnDispose"/>
    public bool CompletesOnDispose
    {
        get => _stream.CompletesOnDispose;
        set => _stream.CompletesOnDispose = value;
    }

    /// <summary>Milliseconds that each wait may last; 0 or -1 for no limit. The default is the connection's CommandTimeout.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is less than -1.</exception>
    public int Timeout
    {
        get => _stream.WriteTimeout;
        set => _stream.WriteTimeout = value;
    }

    /// <inheritdoc cref="PgRawCopyStream.Complete"/>
    public ulong Complete()
    {
        Flush();
        return _stream.Complete();
    }

    /// <inheritdoc cref="Complete"/>
    public async ValueTask<ulong> CompleteAsync(CancellationToken cancellationToken = default)
    {
        await FlushAsync(cancellationToken).ConfigureAwait(false);
        return await _stream.CompleteAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Ends the import: nothing of it stays. The connection can be used.</summary>
    public void Cancel() => _stream.Cancel();

    /// <inheritdoc cref="Cancel"/>
    public Task CancelAsync() => _stream.CancelAsync();

    /// <inheritdoc/>
    public override async ValueTask DisposeAsync()
    {
        try
        {
            if (_stream.IsOpen && CompletesOnDispose)
                await CompleteAsync().ConfigureAwait(false);
        }
        finally
        {
            await _stream.CancelAsync().ConfigureAwait(false);
            base.Dispose(disposing: false); // nothing of the buffer is written any more
            GC.SuppressFinalize(this);
        }
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        try
        {
            if (disposing && _stream.IsOpen && CompletesOnDispose)
                Complete();
        }
        finally
        {
            if (disposing)
                _stream.Cancel();
            base.Dispose(disposing: false);
        }
    }
}
