namespace Loxo.Protocol.Authentication;

/// <summary>Reads a SCRAM message of the server: attributes <c>a=value</c> with commas between them (RFC 5802 section 7).</summary>
internal ref struct ScramAttributes
{
    // The longest that makes sense is a tenth of this; RFC 5802 sets no limit.
    private const int LongestMessage = 4096;

    private readonly string _name;
    private ReadOnlySpan<byte> _rest;
    private bool _isAtEnd;

    public ScramAttributes(ReadOnlySpan<byte> message, string name)
    {
        _name = name;
        _rest = message;
        if (message.Length > LongestMessage)
            throw Malformed("it is too long");
        if (message.ContainsAnyExceptInRange((byte)'!', (byte)'~'))
            throw Malformed("it holds something else than printable ASCII");
    }

    public readonly char Next => _isAtEnd || _rest.IsEmpty ? '\0' : (char)_rest[0];

    public ReadOnlySpan<byte> Read(char attribute, string meaning)
    {
        if (Next == 'e')
            throw AuthenticationErrors.RefusedByServer(ReadValue());
        if (Next == 'm')
            throw AuthenticationErrors.UnknownExtension();
        if (Next != attribute)
            throw Malformed($"expected '{attribute}=' ({meaning}) but {(Next == '\0' ? "it ends" : $"found '{Next}'")}");
        return ReadValue();
    }

    /// <summary>Reads to the end: optional extensions are permitted and ignored (RFC 5802 section 5.1), mandatory ones are not.</summary>
    public void SkipExtensions()
    {
        while (!_isAtEnd)
        {
            if (Next == 'm')
                throw AuthenticationErrors.UnknownExtension();
            if (!char.IsAsciiLetter(Next))
                throw Malformed("an attribute without a name");
            ReadValue();
        }
    }

    public readonly PgException Malformed(string problem) => AuthenticationErrors.Malformed(_name, problem);

    private ReadOnlySpan<byte> ReadValue()
    {
        if (_rest.Length < 2 || _rest[1] != '=')
            throw Malformed($"expected '=' after '{Next}'");
        var comma = _rest.IndexOf((byte)',');
        _isAtEnd = comma < 0;
        var value = _isAtEnd ? _rest[2..] : _rest[2..comma];
        _rest = _isAtEnd ? [] : _rest[(comma + 1)..];
        return value;
    }
}
