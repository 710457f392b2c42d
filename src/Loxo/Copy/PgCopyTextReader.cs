using System.Text;

namespace Loxo;

/// <summary>
/// Reads the text of a COPY ... TO STDOUT in text or CSV format. Made by <see cref="PgConnection.BeginTextExport"/>. Until it is
/// disposed, the connection runs no other command.
/// </summary>
/// <exception cref="ObjectDisposedException">The reader has been disposed.</exception>
public sealed class PgCopyTextReader : TextReader, IAsyncDisposable
{
    private const int BufferSize = 4096;

    private readonly PgRawCopyStream _stream;

    // A class derived from StreamReader would block in its asynchronous calls: StreamReader leaves those of other classes to TextReader.
    private readonly StreamReader _reader;

    internal PgCopyTextReader(PgRawCopyStream stream)
    {
        _stream = stream;
        _reader = new StreamReader(stream, Encoding.UTF8, detectEncodingFromByteOrderMarks: false, BufferSize);
    }

    /// <summary>Milliseconds that each wait may last; 0 or -1 for no limit. The default is the connection's CommandTimeout.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is less than -1.</exception>
    public int Timeout
    {
        get => _stream.ReadTimeout;
        set => _stream.ReadTimeout = value;
    }

    /// <summary>
    /// The bytes of the text, in UTF-8: to copy them to a file or a response without decoding. What the reader has taken from it, which may
    /// be more than has been read, is not there any more.
    /// </summary>
    public PgRawCopyStream BaseStream => _stream;

    /// <summary>Whether the text has been read to its end. Waits for data, blocking, if all that has arrived has been read.</summary>
    public bool EndOfStream => _reader.EndOfStream;

    /// <summary>The next character, which stays unread; -1 at the end, and if it has not arrived yet.</summary>
    public override int Peek() => _reader.Peek();

    /// <inheritdoc/>
    public override int Read() => _reader.Read();

    /// <inheritdoc/>
    public override int Read(char[] buffer, int index, int count) => _reader.Read(buffer, index, count);

    /// <inheritdoc/>
    public override int Read(Span<char> buffer) => _reader.Read(buffer);

    /// <inheritdoc/>
    public override int ReadBlock(char[] buffer, int index, int count) => _reader.ReadBlock(buffer, index, count);

    /// <inheritdoc/>
    public override int ReadBlock(Span<char> buffer) => _reader.ReadBlock(buffer);

    /// <inheritdoc/>
    public override string? ReadLine() => _reader.ReadLine();

    /// <inheritdoc/>
    public override string ReadToEnd() => _reader.ReadToEnd();

    /// <inheritdoc/>
    public override Task<int> ReadAsync(char[] buffer, int index, int count) => _reader.ReadAsync(buffer, index, count);

    /// <inheritdoc/>
    public override ValueTask<int> ReadAsync(Memory<char> buffer, CancellationToken cancellationToken = default) =>
        cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled<int>(cancellationToken)
            : _reader.ReadAsync(buffer, cancellationToken);

    /// <inheritdoc/>
    public override Task<int> ReadBlockAsync(char[] buffer, int index, int count) => _reader.ReadBlockAsync(buffer, index, count);

    /// <inheritdoc/>
    public override ValueTask<int> ReadBlockAsync(Memory<char> buffer, CancellationToken cancellationToken = default) =>
        cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled<int>(cancellationToken)
            : _reader.ReadBlockAsync(buffer, cancellationToken);

    /// <inheritdoc/>
    public override Task<string?> ReadLineAsync() => _reader.ReadLineAsync();

    /// <inheritdoc/>
    public override ValueTask<string?> ReadLineAsync(CancellationToken cancellationToken) =>
        cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled<string?>(cancellationToken)
            : _reader.ReadLineAsync(cancellationToken);

    /// <inheritdoc/>
    public override Task<string> ReadToEndAsync() => _reader.ReadToEndAsync();

    /// <inheritdoc/>
    public override Task<string> ReadToEndAsync(CancellationToken cancellationToken) => _reader.ReadToEndAsync(cancellationToken);

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

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing)
            _reader.Dispose();
        base.Dispose(disposing);
    }
}
