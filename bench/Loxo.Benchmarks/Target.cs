using System.Globalization;

namespace Loxo.Benchmarks;

/// <summary>Where the server is. All peers use TCP.</summary>
internal sealed record Target(string Host, int Port, string User, string Database)
{
    /// <summary>Where the server of canned answers listens, on this machine too.</summary>
    public required int CannedPort { get; init; }

    /// <summary>The server of canned answers.</summary>
    public Target Canned => this with { Port = CannedPort };

    /// <summary>Where the server with TLS listens, on this machine too.</summary>
    public required int TlsPort { get; init; }

    /// <summary>Whether connections are encrypted.</summary>
    public bool IsTls { get; private init; }

    /// <summary>The server with TLS.</summary>
    public Target Tls => this with { Port = TlsPort, IsTls = true };

    /// <summary>A connection string for both drivers.</summary>
    public string ConnectionString => $"Host={Host};Port={Port};Username={User};Database={Database}{(IsTls ? ";SSL Mode=Require" : "")}";

    /// <summary>The inverse of <see cref="ToString"/>.</summary>
    public static Target Parse(string text)
    {
        var parts = text.Split(':');
        return new Target(parts[0], int.Parse(parts[1], CultureInfo.InvariantCulture), parts[2], parts[3])
        {
            CannedPort = int.Parse(parts[4], CultureInfo.InvariantCulture), TlsPort = int.Parse(parts[5], CultureInfo.InvariantCulture),
        };
    }

    /// <summary>The connection string with more settings, <c>A=b;C=d</c>; none when empty.</summary>
    public string With(params ReadOnlySpan<string> settings)
    {
        var text = ConnectionString;
        foreach (var setting in settings)
            text += setting.Length > 0 ? ";" + setting : "";
        return text;
    }

    public override string ToString() => $"{Host}:{Port}:{User}:{Database}:{CannedPort}:{TlsPort}";
}
