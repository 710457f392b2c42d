namespace Loxo;

/// <summary>What is done with a DateTime or DateTimeOffset that does not fit the timestamp type it is written as.</summary>
public enum TimestampPolicy
{
    /// <summary>
    /// It is refused: <c>timestamp with time zone</c> takes Kind Utc and offset 0, <c>timestamp without time zone</c> takes Local and Unspecified. The default.
    /// </summary>
    Strict,

    /// <summary>Unspecified is taken for UTC where an instant is wanted, and UTC is written as it is where none is; Local is converted to UTC for an instant.</summary>
    AssumeUtc,

    /// <summary>As <see cref="AssumeUtc"/>, but Unspecified is taken for local time, as <see cref="DateTime.ToUniversalTime"/> does.</summary>
    ConvertToUtc,
}
