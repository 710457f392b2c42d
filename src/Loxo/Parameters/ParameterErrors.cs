using Loxo.Types;

namespace Loxo.Parameters;

internal static class ParameterErrors
{
    public static InvalidOperationException NotSet(PgParameter parameter, int ordinal) => new(
        $"{Name(parameter, ordinal)} has no value. Set Value, or use DBNull.Value for NULL.");

    public static InvalidCastException NoTypeFor(PgParameter parameter, int ordinal, Type type) => new(
        $"{Name(parameter, ordinal)} holds a {type}, which stands for no PostgreSQL type. " + (ConversionErrors.IsJagged(type)
            ? ConversionErrors.JaggedRemedy
            : "Convert it to one that does, set PgDbType.Jsonb to send it as JSON, or set PgDbType or DataTypeName and give it a fitting "
                + "value."));

    public static InvalidCastException TextOnly(PgParameter parameter, int ordinal, string? type, Type given) => new(
        $"{Name(parameter, ordinal)} is of type {type ?? "unknown"}, which is written from a string only, not from {given}.");

    public static Exception NoSuchType(PgParameter parameter, int ordinal, string type, bool isLikeNpgsql)
    {
        var message = $"{Name(parameter, ordinal)} is of type {type}, which does not exist in the database, or is in a schema that the "
            + "search path does not lead to: name its schema as well.";
        return isLikeNpgsql ? new NotSupportedException(message) : new PgException(message, PgErrorCode.ParameterInvalid);
    }

    public static ArgumentException Mixed() => new(
        "Some parameters have a name and some have none. Name all of them (@name in the text) or none ($1, $2, ... in the text).");

    public static IndexOutOfRangeException NoPosition(int index, int count) => new(string.Create(CultureInfo.InvariantCulture,
        $"There is no parameter at position {index}: there are {count}, counted from 0."));

    public static IndexOutOfRangeException NoName(string name) => new($"There is no parameter named '{name}'.");

    public static PgException TooMany(int count) => new(string.Create(CultureInfo.InvariantCulture,
        $"A statement has {count} parameters; PostgreSQL takes at most 65,535. Pass arrays (= ANY(@ids), unnest(@ids)), or use several "
        + $"statements."),
        PgErrorCode.TooManyParameters);

    public static bool IsAboutValue(Exception e) =>
        e is InvalidCastException or OverflowException or ArgumentException or FormatException
            or PgException { Code: PgErrorCode.ParameterInvalid or PgErrorCode.MessageTooLarge };

    /// <summary>The same kind of exception, with the parameter in front.</summary>
    public static Exception CannotWrite(PgParameter parameter, int ordinal, Exception cause)
    {
        var message = $"{Name(parameter, ordinal)} cannot be sent: {cause.Message}";
        return cause switch
        {
            OverflowException => new OverflowException(message, cause),
            InvalidCastException => new InvalidCastException(message, cause),
            PgException own => new PgException(message, own.Code, cause),
            _ => new ArgumentException(message, parameter.Name.ToString(), cause),
        };
    }

    public static string Name(PgParameter parameter, int ordinal) => parameter.Name.Length > 0
        ? string.Create(CultureInfo.InvariantCulture, $"Parameter '{parameter.Name}' (number {ordinal + 1})")
        : string.Create(CultureInfo.InvariantCulture, $"Parameter ${ordinal + 1}");
}
