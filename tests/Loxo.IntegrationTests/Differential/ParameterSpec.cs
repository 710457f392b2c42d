using System.Data;
using System.Data.Common;

namespace Loxo.IntegrationTests.Differential;

/// <summary>How a parameter is told its type.</summary>
internal enum Typing
{
    ByValue,
    ByPgDbType,
    ByDbType,
    ByName,
    Generic,
    OnlyType,
}

/// <summary>A parameter of a generated program.</summary>
/// <param name="Name">Empty for a positional parameter.</param>
internal sealed record ParameterSpec(string Name, Sample Sample, Typing Typing, ParameterDirection Direction = ParameterDirection.Input)
{
    public string Text
    {
        get
        {
            var type = Typing switch
            {
                Typing.ByPgDbType or Typing.OnlyType => $", NpgsqlDbType = {TypeText(Sample.Fitting)}",
                Typing.ByDbType => $", DbType = DbType.{Sample.DbType}",
                Typing.ByName => $", DataTypeName = \"{Sample.TypeName}\"",
                _ => "",
            };
            var value = Typing switch
            {
                Typing.OnlyType => "",
                Typing.Generic => $", TypedValue = {Sample.Text}",
                _ => $", Value = {Sample.Text}",
            };
            var direction = Direction == ParameterDirection.Input ? "" : $", Direction = ParameterDirection.{Direction}";
            return $"new NpgsqlParameter{(Typing == Typing.Generic ? "<T>" : "")} {{ ParameterName = \"{Name}\"{value}{type}{direction} }}";
        }
    }

    private static string TypeText(PgDbType type) => (int)type < 0
        ? $"NpgsqlDbType.Array | NpgsqlDbType.{type & ~PgDbType.Array}"
        : $"NpgsqlDbType.{type}";

    public DbParameter Make(Driver driver)
    {
        var parameter = Typing == Typing.Generic ? Sample.Generic(driver) : driver.Parameter();
        parameter.ParameterName = Name;
        if (Typing is not (Typing.Generic or Typing.OnlyType))
            parameter.Value = Sample.Boxed(driver);
        if (Typing is Typing.ByPgDbType or Typing.OnlyType)
            driver.SetType(parameter, Sample.Fitting);
        else if (Typing == Typing.ByDbType)
            parameter.DbType = Sample.DbType;
        else if (Typing == Typing.ByName)
            ((dynamic)parameter).DataTypeName = Sample.TypeName;
        if (Direction != ParameterDirection.Input)
            parameter.Direction = Direction;
        return parameter;
    }
}
