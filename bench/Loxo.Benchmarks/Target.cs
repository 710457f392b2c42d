using System.Globalization;

namespace Loxo.Benchmarks;

/// <summary>Where the server is. All peers use TCP.</summary>
internal sealed record Target(string Host, int Port, string User, string Database)
{
    public string ConnectionString => $"Host={Host};Port={Port};Username={User};Database={Database}";

    /// <summary>The inverse of <see cref="ToString"/>.</summary>
    public static Target Parse(string text)
    {
        var parts = text.Split(':');
        return new Target(parts[0], int.Parse(parts[1], CultureInfo.InvariantCulture), parts[2], parts[3]);
    }

    public override string ToString() => $"{Host}:{Port}:{User}:{Database}";
}
