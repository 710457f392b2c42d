namespace Loxo;

/// <summary>Fills output parameters from the first row of the first result: by column name, then the rest in order.</summary>
internal static class OutputParameters
{
    public static void Fill(PgParameterCollection parameters, PgDataReader reader)
    {
        var taken = new bool[reader.FieldCount];
        var left = new List<PgParameter>();
        foreach (PgParameter parameter in parameters)
        {
            if (!parameter.IsOutput)
                continue;
            var ordinal = FindColumn(reader, parameter.ParameterName);
            if (ordinal < 0 || taken[ordinal])
            {
                left.Add(parameter);
                continue;
            }
            taken[ordinal] = true;
            parameter.Value = reader.PeekValue(ordinal);
        }
        foreach (var parameter in left)
        {
            var ordinal = Array.IndexOf(taken, false);
            if (ordinal < 0)
                return;
            taken[ordinal] = true;
            parameter.Value = reader.PeekValue(ordinal);
        }
    }

    private static int FindColumn(PgDataReader reader, string name)
    {
        for (var i = 0; name.Length > 0 && i < reader.FieldCount; i++)
        {
            if (string.Equals(reader.GetName(i), name, StringComparison.OrdinalIgnoreCase))
                return i;
        }
        return -1;
    }
}
