using System.Text;

namespace Loxo;

/// <summary>
/// Reads the text of a COPY ... TO STDOUT in text or CSV format. Made by <see cref="PgConnection.BeginTextExport"/>. Until it is
/// disposed, the connection runs no other command.
/// </summary>
public sealed class PgCopyTextReader : StreamReader, IAsyncDisposable
{
    private const int BufferSize = 4096;

    private readonly PgRawCopyStream _stream;

    internal PgCopyTextReader(PgRawCopyStream stream)
        : base(stream, Encoding.UTF8, detectEncodingFromByteOrderMarks: false, BufferSize) => _stream = stream;

    /// <summary>Milliseconds that each wait may last; 0 or -1 for no limit. The default is the connection's CommandTimeout.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is less than -1.</exception>
    public int Timeout
    {
        get => _stream.ReadTimeout;
        set => _stream.ReadTimeout = value;
    }

    /// <inheritdoc/>
    public override ValueTask<int> ReadAsync(Memory<char> buffer, CancellationToken cancellationToken = default) =>
        cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled<int>(cancellationToken)
            : base.ReadAsync(buffer, cancellationToken);

    /// <inheritdoc/>
    public override ValueTask<int> ReadBlockAsync(Memory<char> buffer, CancellationToken cancellationToken = default) =>
        cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled<int>(cancellationToken)
            : base.ReadBlockAsync(buffer, cancellationToken);

    /// <summary>Asks the server to stop, and ends the export. The connection can be used afterwards.</summary>
    public void Cancel() => _stream.Cancel();

    /// <inheritdoc cref="Cancel"/>
    public Task CancelAsync() => _stream.CancelAsync();

    /// <summary>Ends the export, as <see cref="TextReader.Dispose()"/> does, without blocking.</summary>
    public async ValueTask DisposeAsync()
    {
        await _stream.DisposeAsync().ConfigureAwait(false);
        Dispose();
    }
}
