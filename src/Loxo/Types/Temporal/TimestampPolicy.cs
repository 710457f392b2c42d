namespace Loxo;

/// <summary>
/// What is done with a <see cref="DateTime"/> or <see cref="DateTimeOffset"/> that does not fit the timestamp type it is written as. It is
/// about writing only, except for <see cref="Legacy"/>: <c>timestamp with time zone</c> is read as Kind Utc or offset 0, <c>timestamp
/// without time zone</c> as Kind Unspecified. Nor does it say which type an untyped parameter becomes: that is the one that its kind fits,
/// <c>timestamp with time zone</c> for Kind Utc and <c>timestamp without time zone</c> for the others.
/// </summary>
/// <remarks>MinValue and MaxValue, which stand for -infinity and infinity, fit both types whatever their kind.</remarks>
public enum TimestampPolicy
{
    /// <summary>
    /// It is refused: <c>timestamp with time zone</c> takes Kind Utc and offset 0, <c>timestamp without time zone</c> takes Local and
    /// Unspecified, whose reading of the clock is written as it is. The default.
    /// </summary>
    Strict,

    /// <summary>
    /// Written as <c>timestamp with time zone</c>, Unspecified is taken for UTC, and Local and a DateTimeOffset with an offset are
    /// converted to UTC. Written as <c>timestamp without time zone</c>, the reading of the clock is written as it is, that of Kind Utc too.
    /// </summary>
    AssumeUtc,

    /// <summary>
    /// As <see cref="AssumeUtc"/>, but for <c>timestamp with time zone</c> Unspecified is taken for local time and converted to UTC as
    /// <see cref="DateTime.ToUniversalTime"/> does it.
    /// </summary>
    ConvertToUtc,

    /// <summary>
    /// As Npgsql does with its switch EnableLegacyTimestampBehavior. Values are written as with <see cref="AssumeUtc"/>, and an untyped
    /// DateTime becomes <c>timestamp without time zone</c>, whatever its kind. A <c>timestamp with time zone</c> is read in local time: as
    /// Kind Local, or with the offset of local time. Set for one parameter, it says no more than <see cref="AssumeUtc"/>. The switch
    /// <c>Loxo.EnableLegacyTimestampBehavior</c> of <see cref="AppContext"/> makes it the default of the process, when it is set before the
    /// first data source or connection is made.
    /// </summary>
    Legacy,
}
