using System.Collections;
using System.ComponentModel;
using System.Data.Common;
using Loxo.Pool;
using Loxo.Settings;

namespace Loxo;

/// <summary>
/// A connection string as properties. Takes <c>Host=...;Database=...</c> and <c>postgresql://user@host/database</c> alike. Keywords are
/// matched without regard to case by their display name (<c>SSL Mode</c>), their property name (<c>SslMode</c>) or a synonym.
/// </summary>
/// <remarks>
/// Values are checked when they are set: whatever a keyword does not take, and any NUL character, is an <see cref="ArgumentException"/>
/// that names the keyword. Setting null or an empty text takes a keyword out, so that its default counts. A value that asks for something
/// not supported can be set, and is refused with a <see cref="NotSupportedException"/> when a data source or connection is made of the
/// string. A keyword that is not set is looked for in libpq's environment variable for it, where there is one, before the default counts.
/// </remarks>
/// <exception cref="ArgumentException">
/// Any member that sets a value: the keyword does not take it. Any member that takes a keyword: it is null.
/// </exception>
public sealed partial class PgConnectionStringBuilder : DbConnectionStringBuilder, IDictionary<string, object?>
{
    private string? _asGiven; // the assigned connection string, until a keyword is changed
    private bool _asGivenIsPublic; // it sets no secret

    /// <summary>Makes a builder without any keyword set.</summary>
    public PgConnectionStringBuilder() { }

    /// <summary>Makes a builder of a connection string or a URI; null and empty set nothing.</summary>
    /// <exception cref="ArgumentException">It is malformed, or a keyword is unknown or does not take its value.</exception>
    public PgConnectionStringBuilder(string? connectionString) => ConnectionString = connectionString;

    /// <summary>
    /// The keywords that are set and their values, as one string, password included. Assigning replaces all of them, from a connection
    /// string or a URI; after an error the builder is as it was before. The default is empty.
    /// </summary>
    /// <exception cref="ArgumentException">It is malformed, or a keyword is unknown or does not take its value.</exception>
    [AllowNull]
    public new string ConnectionString
    {
        get => KeyValueText.Join(Keys.Select(name => (name, TextOf(Keywords.Find(name)!)!)));
        set
        {
            var values = Read(value ?? "");
            Clear();
            foreach (var (keyword, text) in values)
                Store(keyword, text);
            _asGiven = value;
            _asGivenIsPublic = values.TrueForAll(pair => !pair.Keyword.IsSecret);
        }
    }

    /// <summary>
    /// The value of a keyword in its property's type, or its default when it is not set: "" where that is null. Setting null takes it out.
    /// </summary>
    /// <exception cref="ArgumentException">There is no such keyword, or it does not take the value.</exception>
    [AllowNull]
    public override object this[string keyword]
    {
        get => Find(keyword) is { } known ? known.ToObject(TextOf(known)) ?? "" : throw SettingsErrors.UnknownKeyword(keyword);
        set
        {
            var row = Find(keyword) ?? throw SettingsErrors.UnknownKeyword(keyword);
            Store(row, value is null ? null : row.ToText(value));
        }
    }

    /// <summary>Gets the value of a keyword in its property's type, or its default (which may be null) when it is not set.</summary>
    /// <returns>False when there is no such keyword.</returns>
    public override bool TryGetValue(string keyword, [NotNullWhen(true)] out object? value)
    {
        var row = Find(keyword);
        value = row?.ToObject(TextOf(row))!;
        return row is not null;
    }

    /// <summary>Whether there is such a keyword, set or not; see <see cref="ShouldSerialize"/>.</summary>
    public override bool ContainsKey(string keyword) => Find(keyword) is not null;

    /// <summary>Whether the keyword is set and so part of the connection string.</summary>
    public override bool ShouldSerialize(string keyword) => Find(keyword) is { } row && base.ShouldSerialize(row.Name);

    /// <summary>Takes a keyword out, so that its default counts.</summary>
    /// <returns>False when it was not set or there is no such keyword.</returns>
    public override bool Remove(string keyword)
    {
        _asGiven = null;
        return Find(keyword) is { } row && base.Remove(row.Name);
    }

    /// <inheritdoc/>
    public override void Clear()
    {
        _asGiven = null;
        base.Clear();
    }

    /// <summary>The <see cref="ConnectionString"/>, password included.</summary>
    public override string ToString() => ConnectionString;

    /// <summary>Whether the other is a builder with the same keywords set to the same values, in whatever order.</summary>
    public override bool Equals(object? obj) => obj is PgConnectionStringBuilder other && EquivalentTo(other);

    /// <inheritdoc/>
    public override int GetHashCode() =>
        Keys.Aggregate(0, (hash, name) => hash ^ HashCode.Combine(name, TextOf(Keywords.Find(name)!)));

    /// <summary>Completes the keywords with the environment, the password file and the defaults.</summary>
    internal ConnectionSettings ToSettings(SettingsEnvironment? environment = null) =>
        new SettingsResolver(TextOf, environment ?? SettingsEnvironment.OfProcess())
            .Resolve(_asGiven ?? ConnectionString, WithoutSecrets());

    /// <summary>The same text for all spellings and orders of the same keywords and values, password included.</summary>
    internal string Canonical()
    {
        var copy = new PgConnectionStringBuilder();
        foreach (var keyword in Keywords.All)
        {
            if (TextOf(keyword) is { } text)
                copy.Store(keyword, text);
        }
        return copy.ConnectionString;
    }

    /// <summary>The display names of the keywords that are set.</summary>
    public new ICollection<string> Keys => [.. base.Keys.Cast<string>()];

    /// <summary>The values of the keywords that are set, in the order of <see cref="Keys"/>.</summary>
    public new ICollection<object?> Values => [.. Pairs().Select(pair => pair.Value)];

    /// <summary>Sets a keyword.</summary>
    /// <exception cref="ArgumentException">There is no such keyword, or it does not take the value.</exception>
    public void Add(KeyValuePair<string, object?> item) => this[item.Key] = item.Value;

    void IDictionary<string, object?>.Add(string key, object? value) => this[key] = value;

    /// <summary>Whether the keyword is set to that value.</summary>
    public bool Contains(KeyValuePair<string, object?> item) =>
        ShouldSerialize(item.Key) && Equals(this[item.Key], item.Value);

    /// <summary>Takes the keyword out if it is set to that value.</summary>
    /// <returns>False if it is not.</returns>
    public bool Remove(KeyValuePair<string, object?> item) => Contains(item) && Remove(item.Key);

    /// <summary>Copies the keywords that are set, with their values.</summary>
    public void CopyTo(KeyValuePair<string, object?>[] array, int arrayIndex) => Pairs().ToList().CopyTo(array, arrayIndex);

    /// <summary>The keywords that are set, with their values.</summary>
    public IEnumerator<KeyValuePair<string, object?>> GetEnumerator() => Pairs().GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => Pairs().GetEnumerator();

    private IEnumerable<KeyValuePair<string, object?>> Pairs() =>
        Keys.Select(name => new KeyValuePair<string, object?>(name, this[name]));

    private string WithoutSecrets()
    {
        if (_asGiven is not null && _asGivenIsPublic)
            return _asGiven;
        var copy = new PgConnectionStringBuilder(ConnectionString);
        foreach (var secret in Keywords.All.Where(keyword => keyword.IsSecret))
            copy.Remove(secret.Name);
        return copy.ConnectionString;
    }

    private static List<(Keyword Keyword, string? Text)> Read(string text)
    {
        if (ConnectionUri.IsUri(text))
            return ConnectionUri.Parse(text).ConvertAll(pair => (pair.Keyword, pair.Keyword.ToText(pair.Value)));
        var values = new List<(Keyword Keyword, string? Text)>();
        Keyword? before = null;
        foreach (var part in KeyValueText.Split(text))
        {
            var keyword = Keywords.Find(part.Name) ?? throw SettingsErrors.UnknownKeyword(part, before);
            values.Add((keyword, keyword.ToText(part.Value)));
            before = keyword;
        }
        return values;
    }

    private static Keyword? Find(string keyword)
    {
        ArgumentNullException.ThrowIfNull(keyword);
        return Keywords.Find(keyword);
    }

    private T Get<T>(Keyword<T> keyword) => keyword.Read(TextOf(keyword));

    private void Set<T>(Keyword<T> keyword, T value) => Store(keyword, value is null ? null : keyword.ToText(value));

    private string? TextOf(Keyword keyword) => base.TryGetValue(keyword.Name, out var text) ? (string)text : null;

    private void Store(Keyword keyword, string? text)
    {
        _asGiven = null;
        base[keyword.Name] = text;
    }

    // Several hosts.

    /// <summary>
    /// Which of several hosts to use: any, read-write, read-only, primary, standby, prefer-primary, prefer-standby. Environment:
    /// PGTARGETSESSIONATTRS. The default, null, is any.
    /// </summary>
    /// <exception cref="ArgumentException">The value is none of these.</exception>
    [DisplayName("Target Session Attributes")]
    public string? TargetSessionAttributes
    {
        get => TextOf(Keywords.TargetSessionAttributes);
        set => this[Keywords.TargetSessionAttributes.Name] = value;
    }

    /// <summary>
    /// Whether opens are spread over several hosts, by turns, instead of starting at the first; in the connection string also Random, and
    /// LeastOutstanding for the fewest connections in use. Environment: PGLOADBALANCEHOSTS. The default is false.
    /// </summary>
    [DisplayName("Load Balance Hosts")]
    public bool LoadBalanceHosts
    {
        get => Get(Keywords.LoadBalanceHosts) != HostBalance.None;
        set => Set(Keywords.LoadBalanceHosts, value ? HostBalance.RoundRobin : HostBalance.None);
    }

    /// <summary>Seconds that a host is believed down, primary or standby. The default is 10; 0 asks every time.</summary>
    /// <exception cref="ArgumentException">The value is negative or above 2147483.</exception>
    [DisplayName("Host Recheck Seconds")]
    public int HostRecheckSeconds { get => Get(Keywords.HostRecheckSeconds); set => Set(Keywords.HostRecheckSeconds, value); }

    // Accepted from connection strings of Npgsql.

    /// <summary>Without effect, as in Npgsql: certificates are checked as <see cref="SslMode"/> says. The default is false.</summary>
    [DisplayName("Trust Server Certificate"), Browsable(false), Obsolete("Has no effect: SslMode says how far the certificate is checked.")]
    public bool TrustServerCertificate { get => Get(Keywords.TrustServerCertificate); set => Set(Keywords.TrustServerCertificate, value); }

    /// <summary>Without effect: row types of tables are always known as composite types. The default is false.</summary>
    [DisplayName("Load Table Composites"), Browsable(false)]
    [Obsolete("Accepted from connection strings of Npgsql, and without effect: "
        + "row types of tables are looked up like any other type.")]
    public bool LoadTableComposites { get => Get(Keywords.LoadTableComposites); set => Set(Keywords.LoadTableComposites, value); }

    /// <summary>Allowances for servers that are not quite PostgreSQL. The default is <see cref="ServerCompatibilityMode.None"/>.</summary>
    [DisplayName("Server Compatibility Mode"), Browsable(false)]
    [Obsolete("Accepted from Npgsql's connection strings; connecting reads no catalogue in any mode.")]
    public ServerCompatibilityMode ServerCompatibilityMode
    {
        get => Get(Keywords.ServerCompatibilityMode);
        set => Set(Keywords.ServerCompatibilityMode, value);
    }

    /// <summary>Without effect, as in Npgsql: the driver's own commands have the timeout of others. The default is -1.</summary>
    /// <exception cref="ArgumentException">The value is less than -1 or above 2147483.</exception>
    [DisplayName("Internal Command Timeout"), Browsable(false), Obsolete("Accepted from Npgsql's connection strings; it has no effect.")]
    public int InternalCommandTimeout { get => Get(Keywords.InternalCommandTimeout); set => Set(Keywords.InternalCommandTimeout, value); }

    /// <summary>Without effect, as in Npgsql: requests are collected and sent at once. The default is 1000.</summary>
    /// <exception cref="ArgumentException">The value is not between 0 and 1073741824.</exception>
    [DisplayName("Write Coalescing Buffer Threshold Bytes"), Browsable(false)]
    [Obsolete("Accepted from Npgsql's connection strings; it has no effect.")]
    public int WriteCoalescingBufferThresholdBytes
    {
        get => Get(Keywords.WriteCoalescingBufferThresholdBytes);
        set => Set(Keywords.WriteCoalescingBufferThresholdBytes, value);
    }
}
