using Loxo.Sql;

namespace Loxo;

/// <summary>Options of the plugin pgoutput; null leaves the plugin's default.</summary>
/// <exception cref="ArgumentException">A constructor: there is no publication, or the name of one is empty.</exception>
public sealed class PgOutputReplicationOptions : IEquatable<PgOutputReplicationOptions>
{
    /// <summary>Options for one publication.</summary>
    /// <param name="publicationName">Its name.</param>
    /// <param name="protocolVersion">The version of the protocol.</param>
    /// <param name="binary">Whether values come in binary format where their type has one; PostgreSQL 14 or later.</param>
    /// <param name="streamingMode">When large transactions are sent.</param>
    /// <param name="messages">Whether messages of <c>pg_logical_emit_message</c> are sent; PostgreSQL 14 or later.</param>
    /// <param name="twoPhase">Whether prepared transactions are sent when they are prepared; version 3 or later.</param>
    public PgOutputReplicationOptions(string publicationName, PgOutputProtocolVersion protocolVersion, bool? binary = null,
        PgOutputStreamingMode? streamingMode = null, bool? messages = null, bool? twoPhase = null)
        : this([publicationName], protocolVersion, binary, streamingMode, messages, twoPhase)
    {
    }

    /// <summary>Options for one publication, with the version as a number.</summary>
    /// <inheritdoc cref="PgOutputReplicationOptions(string, PgOutputProtocolVersion, bool?, PgOutputStreamingMode?, bool?, bool?)"/>
    /// <param name="publicationName">Its name.</param>
    /// <param name="protocolVersion">The version of the protocol, from 1 to 4.</param>
    /// <param name="binary">Whether values come in binary format where their type has one; PostgreSQL 14 or later.</param>
    /// <param name="streaming">Whether large transactions are sent before they end; version 2 or later.</param>
    /// <param name="messages">Whether messages of <c>pg_logical_emit_message</c> are sent; PostgreSQL 14 or later.</param>
    /// <param name="twoPhase">Whether prepared transactions are sent when they are prepared; version 3 or later.</param>
    public PgOutputReplicationOptions(string publicationName, ulong protocolVersion, bool? binary = null, bool? streaming = null,
        bool? messages = null, bool? twoPhase = null)
        : this([publicationName], protocolVersion, binary, streaming, messages, twoPhase)
    {
    }

    /// <summary>Options for several publications, with the version as a number.</summary>
    /// <inheritdoc cref="PgOutputReplicationOptions(string, ulong, bool?, bool?, bool?, bool?)"/>
    /// <param name="publicationNames">Their names; at least one.</param>
    /// <param name="protocolVersion">The version of the protocol, from 1 to 4.</param>
    /// <param name="binary">Whether values come in binary format where their type has one; PostgreSQL 14 or later.</param>
    /// <param name="streaming">Whether large transactions are sent before they end; version 2 or later.</param>
    /// <param name="messages">Whether messages of <c>pg_logical_emit_message</c> are sent; PostgreSQL 14 or later.</param>
    /// <param name="twoPhase">Whether prepared transactions are sent when they are prepared; version 3 or later.</param>
    /// <exception cref="ArgumentException">There is no name, or one is empty.</exception>
    public PgOutputReplicationOptions(IEnumerable<string> publicationNames, ulong protocolVersion, bool? binary = null,
        bool? streaming = null, bool? messages = null, bool? twoPhase = null)
        : this(publicationNames, (PgOutputProtocolVersion)protocolVersion, binary,
            streaming is { } streams ? streams ? PgOutputStreamingMode.On : PgOutputStreamingMode.Off : null, messages, twoPhase)
    {
    }

    /// <summary>Options for several publications.</summary>
    /// <inheritdoc cref="PgOutputReplicationOptions(string, PgOutputProtocolVersion, bool?, PgOutputStreamingMode?, bool?, bool?)"/>
    /// <param name="publicationNames">Their names; at least one.</param>
    /// <param name="protocolVersion">The version of the protocol.</param>
    /// <param name="binary">Whether values come in binary format where their type has one; PostgreSQL 14 or later.</param>
    /// <param name="streamingMode">When large transactions are sent.</param>
    /// <param name="messages">Whether messages of <c>pg_logical_emit_message</c> are sent; PostgreSQL 14 or later.</param>
    /// <param name="twoPhase">Whether prepared transactions are sent when they are prepared; version 3 or later.</param>
    /// <exception cref="ArgumentException">There is no name, or one is empty.</exception>
    public PgOutputReplicationOptions(IEnumerable<string> publicationNames, PgOutputProtocolVersion protocolVersion, bool? binary = null,
        PgOutputStreamingMode? streamingMode = null, bool? messages = null, bool? twoPhase = null)
    {
        ArgumentNullException.ThrowIfNull(publicationNames);
        PublicationNames = [.. publicationNames];
        if (PublicationNames.Count == 0)
            throw new ArgumentException("There is no publication: name at least one.", nameof(publicationNames));
        foreach (var name in PublicationNames)
            ArgumentException.ThrowIfNullOrEmpty(name, nameof(publicationNames));
        ProtocolVersion = protocolVersion;
        Binary = binary;
        StreamingMode = streamingMode;
        Messages = messages;
        TwoPhase = twoPhase;
    }

    /// <summary>The version of the protocol.</summary>
    public PgOutputProtocolVersion ProtocolVersion { get; }

    /// <summary>The names of the publications.</summary>
    public IReadOnlyList<string> PublicationNames { get; }

    /// <summary>Whether values come in binary format where their type has one.</summary>
    public bool? Binary { get; }

    /// <summary>When large transactions are sent.</summary>
    public PgOutputStreamingMode? StreamingMode { get; }

    /// <summary>Whether messages of <c>pg_logical_emit_message</c> are sent.</summary>
    public bool? Messages { get; }

    /// <summary>Whether prepared transactions are sent when they are prepared.</summary>
    public bool? TwoPhase { get; }

    /// <summary>Whether all options are the same.</summary>
    public bool Equals(PgOutputReplicationOptions? other) => other is not null && PublicationNames.SequenceEqual(other.PublicationNames)
        && (ProtocolVersion, Binary, StreamingMode, Messages, TwoPhase)
            == (other.ProtocolVersion, other.Binary, other.StreamingMode, other.Messages, other.TwoPhase);

    /// <inheritdoc cref="Equals(PgOutputReplicationOptions?)"/>
    public override bool Equals(object? obj) => Equals(obj as PgOutputReplicationOptions);

    /// <inheritdoc/>
    public override int GetHashCode() =>
        HashCode.Combine(PublicationNames[0], PublicationNames.Count, ProtocolVersion, Binary, StreamingMode, Messages, TwoPhase);

    internal IEnumerable<KeyValuePair<string, string?>> Pairs()
    {
        yield return new("proto_version", ((ulong)ProtocolVersion).ToString(CultureInfo.InvariantCulture));
        yield return new("publication_names", string.Join(',', PublicationNames.Select(SqlIdentifier.Quote)));
        if (Binary is { } binary)
            yield return Flag("binary", binary);
        // Before version 4 the option was a flag.
        if (StreamingMode is { } mode)
            yield return mode == PgOutputStreamingMode.Parallel
                ? new("streaming", "parallel")
                : Flag("streaming", mode == PgOutputStreamingMode.On);
        if (Messages is { } messages)
            yield return Flag("messages", messages);
        if (TwoPhase is { } twoPhase)
            yield return Flag("two_phase", twoPhase);
    }

    private static KeyValuePair<string, string?> Flag(string name, bool value) => new(name, value ? "on" : "off");
}
