using System.Data;
using System.Text.Json;
using Dapper;

namespace Loxo.DapperHandlers;

/// <summary>Writes <typeparamref name="T"/> as jsonb, and reads it from the text of json and jsonb.</summary>
internal sealed class JsonHandler<T>(JsonSerializerOptions? options) : SqlMapper.ITypeHandler
{
    public void SetValue(IDbDataParameter parameter, object value)
    {
        // Parameters of other providers get the object itself: the registration is process-wide, and they may know the type.
        parameter.Value = value switch
        {
            null or DBNull => DBNull.Value,
            T json when parameter is PgParameter => JsonSerializer.Serialize(json, options),
            _ => value,
        };
        if (parameter is PgParameter ours)
            ours.PgDbType = PgDbType.Jsonb;
    }

    public object? Parse(Type destinationType, object value) => value switch
    {
        DBNull => null,
        T already => already,
        string text => JsonSerializer.Deserialize<T>(text, options),
        _ => throw Conversion.Refused(value, typeof(T)),
    };
}
