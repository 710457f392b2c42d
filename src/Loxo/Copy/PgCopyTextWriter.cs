using System.Text;
using Loxo.Copy;

namespace Loxo;

/// <summary>
/// Writes the text of a COPY ... FROM STDIN in text or CSV format. Made by <see cref="PgConnection.BeginTextImport"/>. Until it is
/// disposed, the connection runs no other command.
/// </summary>
/// <remarks>
/// Disposing it makes the rows stay, as a <see cref="TextWriter"/> tells nothing else of its end, unless
/// <see cref="CompletesOnDispose"/> is off. An error of the server, a cancelled call or a timeout ends the copy, and nothing of it stays.
/// </remarks>
/// <exception cref="ArgumentException">The text has a lone surrogate. Thrown when the text is sent; nothing of the copy stays.</exception>
public sealed class PgCopyTextWriter : TextWriter
{
    private const int BufferSize = 4096;

    private readonly PgRawCopyStream _stream;

    // A class derived from StreamWriter would block in its asynchronous calls: StreamWriter leaves those of other classes to TextWriter.
    private readonly StreamWriter _writer;

    // A lone surrogate is an error: what would be stored in its place is nothing that anybody wrote.
    internal PgCopyTextWriter(PgRawCopyStream stream)
    {
        _stream = stream;
        _writer = new StreamWriter(stream, MessageWriter.StrictUtf8, BufferSize);
    }

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

    /// <summary>Whether each call sends its text; false if not set.</summary>
    public bool AutoFlush
    {
        get => _writer.AutoFlush;
        set => _writer.AutoFlush = value;
    }

    /// <summary>
    /// Takes the bytes of the text, in UTF-8: to copy a file without decoding it. What the writer still holds goes there with
    /// <see cref="Flush"/>.
    /// </summary>
    public PgRawCopyStream BaseStream => _stream;

    /// <summary>UTF-8, whatever the client encoding: COPY is sent in it.</summary>
    public override Encoding Encoding => _writer.Encoding;

    /// <inheritdoc/>
    [AllowNull]
    public override string NewLine
    {
        get => _writer.NewLine;
        set => base.NewLine = _writer.NewLine = value;
    }

    /// <inheritdoc/>
    public override void Write(char value) => _writer.Write(value);

    /// <inheritdoc/>
    public override void Write(char[]? buffer) => _writer.Write(buffer);

    /// <inheritdoc/>
    public override void Write(char[] buffer, int index, int count) => _writer.Write(buffer, index, count);

    /// <inheritdoc/>
    public override void Write(ReadOnlySpan<char> buffer) => _writer.Write(buffer);

    /// <inheritdoc/>
    public override void Write(string? value) => _writer.Write(value);

    /// <inheritdoc/>
    public override void WriteLine(string? value) => _writer.WriteLine(value);

    /// <inheritdoc/>
    public override void WriteLine(ReadOnlySpan<char> buffer) => _writer.WriteLine(buffer);

    /// <inheritdoc/>
    public override Task WriteAsync(char value) => _writer.WriteAsync(value);

    /// <inheritdoc/>
    public override Task WriteAsync(string? value) => _writer.WriteAsync(value);

    /// <inheritdoc/>
    public override Task WriteAsync(char[] buffer, int index, int count) => _writer.WriteAsync(buffer, index, count);

    /// <inheritdoc/>
    public override Task WriteAsync(ReadOnlyMemory<char> buffer, CancellationToken cancellationToken = default) =>
        _writer.WriteAsync(buffer, cancellationToken);

    /// <inheritdoc/>
    public override async Task WriteAsync(StringBuilder? value, CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        if (value is null)
            return;
        foreach (var chunk in value.GetChunks())
            await _writer.WriteAsync(chunk, cancellationToken).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public override Task WriteLineAsync() => _writer.WriteLineAsync();

    /// <inheritdoc/>
    public override Task WriteLineAsync(char value) => _writer.WriteLineAsync(value);

    /// <inheritdoc/>
    public override Task WriteLineAsync(string? value) => _writer.WriteLineAsync(value);

    /// <inheritdoc/>
    public override Task WriteLineAsync(char[] buffer, int index, int count) => _writer.WriteLineAsync(buffer, index, count);

    /// <inheritdoc/>
    public override Task WriteLineAsync(ReadOnlyMemory<char> buffer, CancellationToken cancellationToken = default) =>
        _writer.WriteLineAsync(buffer, cancellationToken);

    /// <inheritdoc/>
    public override async Task WriteLineAsync(StringBuilder? value, CancellationToken cancellationToken = default)
    {
        await WriteAsync(value, cancellationToken).ConfigureAwait(false);
        await _writer.WriteLineAsync(ReadOnlyMemory<char>.Empty, cancellationToken).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public override void Flush() => _writer.Flush();

    /// <inheritdoc/>
    public override Task FlushAsync() => _writer.FlushAsync();

    /// <inheritdoc/>
    public override Task FlushAsync(CancellationToken cancellationToken) => _writer.FlushAsync(cancellationToken);

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
            GC.SuppressFinalize(this);
        }
    }

    // The inner writer is left as it is: nothing of its buffer is written any more.
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
        }
    }
}
