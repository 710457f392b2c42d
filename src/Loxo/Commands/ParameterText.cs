using System.Collections;

namespace Loxo.Commands;

/// <summary>The values of a command's parameters, for a log that was allowed to show them.</summary>
internal static class ParameterText
{
    private const int MostParameters = 64;
    private const int MostCharacters = 256;

    public static string Of(IExecutable command)
    {
        var text = new StringBuilder("[");
        foreach (var parameter in Parameters(command).Take(MostParameters + 1).Select(static (parameter, i) => (parameter, i)))
        {
            text.Append(parameter.i > 0 ? ", " : "");
            if (parameter.i == MostParameters)
                text.Append("...");
            else
                Append(text, parameter.parameter);
        }
        return text.Append(']').ToString();
    }

    private static IEnumerable<PgParameter> Parameters(IExecutable command) => command switch
    {
        PgCommand one => one.Parameters,
        PgBatch batch =>
            ((IEnumerable<PgBatchCommand>)batch.BatchCommands).SelectMany(static one => (IEnumerable<PgParameter>)one.Parameters),
        _ => [],
    };

    private static void Append(StringBuilder text, PgParameter parameter)
    {
        if (parameter.ParameterName.Length > 0)
            text.Append(parameter.Name).Append('=');
        var value = parameter.Value switch
        {
            null or DBNull => "NULL",
            string one => $"'{one}'",
            byte[] bytes => $"{bytes.Length} bytes",
            Stream => "(stream)",
            IEnumerable => parameter.Value.GetType().Name,
            IFormattable one => one.ToString(null, CultureInfo.InvariantCulture),
            var other => other.ToString() ?? "",
        };
        text.Append(value.Length <= MostCharacters ? value : value[..MostCharacters] + "...");
    }
}
