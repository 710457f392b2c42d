using System.Numerics;

namespace Loxo.Pooling.Tests.Interleavings;

/// <summary>64 bits, the same in each run of the program.</summary>
internal static class Hash
{
    public static ulong Mix(ulong hash, ulong value)
    {
        hash ^= value * 0x9E3779B97F4A7C15;
        hash = BitOperations.RotateLeft(hash, 27) * 0xC2B2AE3D27D4EB4F;
        return hash ^ (hash >> 31);
    }

    public static ulong Mix(ulong hash, ulong first, ulong second) => Mix(Mix(hash, first), second);
}
