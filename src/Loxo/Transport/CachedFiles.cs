namespace Loxo.Transport;

/// <summary>
/// What files say: read once, and again when they have changed, which is looked for at most once a minute. While changed files cannot be
/// read, what they said before holds: a certificate and its key are rarely replaced at the same moment.
/// </summary>
/// <param name="list">The paths of the files.</param>
/// <param name="read">Reads them all.</param>
/// <param name="time">The clock of the minute.</param>
internal sealed class CachedFiles<T>(Func<IEnumerable<string>> list, Func<T> read, TimeProvider time)
{
    private static readonly TimeSpan _pause = TimeSpan.FromMinutes(1);

    private readonly Lock _lock = new();
    private volatile Content? _content;

    /// <exception cref="PgException">The files cannot be used, and never could be.</exception>
    public T Get()
    {
        if (_content is { } known && time.GetElapsedTime(known.CheckedAt) < _pause)
            return known.Value;
        lock (_lock)
            return (_content = Refreshed(_content)).Value;
    }

    private Content Refreshed(Content? known)
    {
        var now = time.GetTimestamp();
        if (known is null)
        {
            var stamps = Stamps() ?? [];
            return new Content(read(), stamps, now);
        }
        if (time.GetElapsedTime(known.CheckedAt) < _pause)
            return known;
        try
        {
            var stamps = Stamps();
            return stamps is null || stamps.SequenceEqual(known.Stamps) ? known with { CheckedAt = now } : new Content(read(), stamps, now);
        }
        catch (PgException)
        {
            return known with { CheckedAt = now };
        }
    }

    // Null when one is missing. They are taken before the files are read, so that a change in between is found the next time. An open file
    // tells of itself where its path is a symbolic link, by which containers replace secrets.
    private List<Stamp>? Stamps()
    {
        var stamps = new List<Stamp>();
        try
        {
            foreach (var path in list())
            {
                using var file = File.OpenHandle(path);
                stamps.Add(new Stamp(path, File.GetLastWriteTimeUtc(file), RandomAccess.GetLength(file)));
            }
            return stamps;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or NotSupportedException)
        {
            return null;
        }
    }

    private readonly record struct Stamp(string Path, DateTime Written, long Length);

    private sealed record Content(T Value, IReadOnlyList<Stamp> Stamps, long CheckedAt);
}
