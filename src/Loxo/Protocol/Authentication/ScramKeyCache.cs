namespace Loxo.Protocol.Authentication;

/// <summary>
/// Keys of logins that succeeded: deriving them costs time, and the server keeps salt and iterations until the password is set anew.
/// </summary>
internal sealed class ScramKeyCache
{
    // A cluster's standbys share the primary's salts; this is enough for a rotation of passwords on a handful of hosts.
    private const int Capacity = 16;

    private readonly Lock _lock = new();
    private readonly List<Entry> _newestFirst = [];

    public bool TryGet(string password, byte[] salt, int iterations, [NotNullWhen(true)] out ScramKeys? keys)
    {
        lock (_lock)
            keys = _newestFirst.Find(entry => entry.Matches(password, salt, iterations))?.Keys;
        return keys is not null;
    }

    public void Add(string password, byte[] salt, int iterations, ScramKeys keys)
    {
        lock (_lock)
        {
            _newestFirst.RemoveAll(entry => entry.Matches(password, salt, iterations));
            _newestFirst.Insert(0, new Entry(password, salt, iterations, keys));
            if (_newestFirst.Count > Capacity)
                _newestFirst.RemoveAt(Capacity);
        }
    }

    private sealed class Entry(string password, byte[] salt, int iterations, ScramKeys keys)
    {
        public ScramKeys Keys => keys;

        public bool Matches(string otherPassword, byte[] otherSalt, int otherIterations) =>
            iterations == otherIterations && salt.AsSpan().SequenceEqual(otherSalt) && password == otherPassword;
    }
}
