using Loxo.Session;

namespace Loxo.Pool.Hosts;

/// <summary>Which roles serve which target.</summary>
internal static class HostMatch
{
    /// <summary>Whether a host of that role serves; an unknown role serves only where any does.</summary>
    public static bool Fits(this TargetSessionAttributes target, PgHostRole role) => target switch
    {
        TargetSessionAttributes.ReadWrite => role == PgHostRole.ReadWritePrimary,
        TargetSessionAttributes.ReadOnly => role is PgHostRole.ReadOnlyPrimary or PgHostRole.Standby,
        TargetSessionAttributes.Primary => role is PgHostRole.ReadWritePrimary or PgHostRole.ReadOnlyPrimary,
        TargetSessionAttributes.Standby => role == PgHostRole.Standby,
        _ => true,
    };

    /// <summary>The target that is better than any host, where any host serves; else the target itself.</summary>
    public static TargetSessionAttributes Preferred(this TargetSessionAttributes target) => target switch
    {
        TargetSessionAttributes.PreferPrimary => TargetSessionAttributes.Primary,
        TargetSessionAttributes.PreferStandby => TargetSessionAttributes.Standby,
        _ => target,
    };

    /// <summary>The word of the connection string.</summary>
    public static string Word(this TargetSessionAttributes target) => target switch
    {
        TargetSessionAttributes.ReadWrite => "read-write",
        TargetSessionAttributes.ReadOnly => "read-only",
        TargetSessionAttributes.Primary => "primary",
        TargetSessionAttributes.Standby => "standby",
        TargetSessionAttributes.PreferPrimary => "prefer-primary",
        TargetSessionAttributes.PreferStandby => "prefer-standby",
        _ => "any",
    };
}
