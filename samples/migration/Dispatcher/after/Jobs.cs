using Loxo;

namespace Dispatcher;

internal enum JobState
{
    Waiting,
    [PgName("finished")]
    Done,
    Failed,
}

internal sealed class Address
{
    public Address()
    {
    }

    public Address(string street, string? city) => (Street, City) = (street, city);

    public string Street { get; set; } = "";

    public string? City { get; set; }
}

/// <summary>What a job is about, stored as <see cref="PgDbType.Jsonb"/>.</summary>
internal sealed record Letter(string To, string[] Enclosures);
