namespace Loxo.Pooling.Tests;

/// <summary>What the tests pool.</summary>
internal sealed class Thing(int number)
{
    public int Number { get; } = number;

    public bool IsClosed { get; set; }

    /// <summary>What the next check, reset, or look of the maintainer finds.</summary>
    public bool IsHealthy { get; set; } = true;

    public bool WantsAttention { get; set; }

    public bool IsAbandoned { get; set; }

    public bool IsBroken { get; set; }

    public int Checks { get; set; }

    public int Resets { get; set; }

    public override string ToString() => $"thing {Number}";
}
