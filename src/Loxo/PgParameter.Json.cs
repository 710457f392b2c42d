using System.Text.Json.Serialization.Metadata;

namespace Loxo;

// JSON by metadata of the caller's own.
public partial class PgParameter
{
    /// <summary>
    /// A parameter whose value is serialized as JSON by the metadata given: without reflection, and whatever the data source says of JSON.
    /// Any value of a parameter whose type is <c>json</c> or <c>jsonb</c> becomes JSON; this is for metadata of your own.
    /// </summary>
    /// <typeparam name="T">The .NET type of the value.</typeparam>
    /// <param name="parameterName">With or without the leading <c>@</c> or <c>:</c>; null or empty makes it positional.</param>
    /// <param name="value">Null stands for NULL, not for the JSON text <c>null</c>.</param>
    /// <param name="typeInfo">From a <c>JsonSerializerContext</c>, or of <c>JsonSerializerOptions.GetTypeInfo</c>.</param>
    /// <param name="parameterType"><see cref="PgDbType.Jsonb"/> by default, or <see cref="PgDbType.Json"/>.</param>
    /// <exception cref="ArgumentException">The type is neither json nor jsonb.</exception>
    public static PgParameter Json<T>(string? parameterName, T? value, JsonTypeInfo<T> typeInfo, PgDbType parameterType = PgDbType.Jsonb)
    {
        ArgumentNullException.ThrowIfNull(typeInfo);
        if (parameterType is not (PgDbType.Json or PgDbType.Jsonb))
            throw new ArgumentException($"JSON goes to a parameter of type json or jsonb, not {parameterType}.", nameof(parameterType));
        return new JsonParameter<T>(typeInfo) { ParameterName = parameterName, PgDbType = parameterType, Value = value is null ? DBNull.Value : value };
    }
}
