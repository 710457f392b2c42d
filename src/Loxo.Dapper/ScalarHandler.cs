using System.Data;
using Dapper;

namespace Loxo.DapperHandlers;

/// <summary>Leaves the type of a parameter to the driver, and reads a column as <typeparamref name="T"/>.</summary>
internal sealed class ScalarHandler<T> : SqlMapper.ITypeHandler
{
    public void SetValue(IDbDataParameter parameter, object value) => parameter.Value = value ?? DBNull.Value;

    public object? Parse(Type destinationType, object value) => value is DBNull ? null : Conversion.To<T>(value);
}
