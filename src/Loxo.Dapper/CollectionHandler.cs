using System.Data;
using Dapper;

namespace Loxo.DapperHandlers;

/// <summary>Sends a collection as one array parameter, and reads an array as the collection that is asked for.</summary>
internal sealed class CollectionHandler<T> : SqlMapper.ITypeHandler
{
    public void SetValue(IDbDataParameter parameter, object value) => parameter.Value = value switch
    {
        null => DBNull.Value,
        T[] or List<T> or DBNull => value,
        IEnumerable<T> items => items.ToArray(),
        _ => value,
    };

    public object? Parse(Type destinationType, object value)
    {
        if (value is DBNull)
            return null;
        var items = value switch
        {
            T[] already => already,
            Array { Rank: 1 } others => [.. others.Cast<object?>().Select(Conversion.To<T>)],
            _ => throw Conversion.Refused(value, destinationType),
        };
        if (destinationType.IsAssignableFrom(typeof(T[])))
            return items;
        return destinationType == typeof(HashSet<T>) ? new HashSet<T>(items) : new List<T>(items);
    }
}
