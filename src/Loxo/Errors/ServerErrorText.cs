namespace Loxo;

/// <summary>How the fields of a server's error read in <see cref="Exception.Message"/> and <see cref="Exception.ToString"/>.</summary>
internal static class ServerErrorText
{
    /// <summary>"SQLSTATE: text", then, after a blank line, where it is and what more there is to say.</summary>
    public static string Message(ServerErrorFields fields)
    {
        var text = new StringBuilder();
        if (!string.IsNullOrEmpty(fields.SqlState))
            text.Append(fields.SqlState).Append(": ");
        text.Append(fields.MessageText);
        if (fields.Position == 0 && string.IsNullOrEmpty(fields.Detail))
            return text.ToString();

        text.AppendLine();
        if (fields.Position != 0)
            text.AppendLine().Append(CultureInfo.InvariantCulture, $"POSITION: {fields.Position}");
        if (!string.IsNullOrEmpty(fields.Detail))
            text.AppendLine().Append("DETAIL: ").Append(fields.Detail);
        return text.ToString();
    }

    /// <summary>The fields that the server sent, one a line, to follow the stack trace in a log.</summary>
    public static string DataSection(ServerErrorFields fields)
    {
        var text = new StringBuilder().AppendLine().Append("  Exception data:");
        foreach (var (name, value) in fields.Present())
            text.AppendLine().Append(CultureInfo.InvariantCulture, $"    {name}: {value}");
        return text.ToString();
    }
}
