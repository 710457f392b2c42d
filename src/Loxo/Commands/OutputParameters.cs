namespace Loxo.Commands;

/// <summary>Fills output parameters from the first row of the first result: by column name, then the rest in order.</summary>
internal static class OutputParameters
{
    public static void Fill(PgParameterCollection parameters, PgDataReader reader)
    {
        var columns = ColumnsOf(reader);
        var taken = new bool[reader.FieldCount];
        var left = new List<PgParameter>();
        foreach (PgParameter parameter in parameters)
        {
            if (!parameter.IsOutput)
                continue;
            if (!columns.TryGetValue(parameter.Name.ToString(), out var ordinal) || taken[ordinal])
            {
                left.Add(parameter);
                continue;
            }
            taken[ordinal] = true;
            parameter.Take(reader, ordinal);
        }
        FillInOrder(left, taken, reader);
    }

    private static void FillInOrder(List<PgParameter> left, bool[] taken, PgDataReader reader)
    {
        var free = 0;
        foreach (var parameter in left)
        {
            while (free < taken.Length && taken[free])
                free++;
            if (free == taken.Length)
                return;
            parameter.Take(reader, free++);
        }
    }

    // Of several columns of one name the first counts; a column without a name has none that a parameter could ask for.
    private static Dictionary<string, int> ColumnsOf(PgDataReader reader)
    {
        var columns = new Dictionary<string, int>(reader.FieldCount, StringComparer.OrdinalIgnoreCase);
        for (var i = 0; i < reader.FieldCount; i++)
        {
            if (reader.GetName(i) is { Length: > 0 } name)
                columns.TryAdd(name, i);
        }
        return columns;
    }
}
