namespace Loxo.Protocol.Backend;

/// <summary>ErrorResponse ('E') and NoticeResponse ('N'): fields named by one byte each.</summary>
internal readonly ref struct ErrorOrNotice(ReadOnlySpan<byte> body)
{
    private readonly ReadOnlySpan<byte> _body = body;

    /// <summary>The fields as plain data. Unknown ones are skipped, as the manual asks.</summary>
    public ServerErrorFields ToFields()
    {
        var fields = new ServerErrorFields();
        var reader = new ValueReader(_body);
        while (!reader.IsAtEnd && reader.ReadByte() is not 0 and var code)
            Set(fields, code, reader.ReadCString());
        fields.InvariantSeverity ??= fields.Severity; // poolers and servers before 9.6 send one of them, untranslated
        return fields;
    }

    private static void Set(ServerErrorFields fields, byte code, string value)
    {
        switch ((char)code)
        {
            case 'S': fields.Severity = value; break;
            case 'V': fields.InvariantSeverity = value; break;
            case 'C': fields.SqlState = value; break;
            case 'M': fields.MessageText = value; break;
            case 'D': fields.Detail = value; break;
            case 'H': fields.Hint = value; break;
            case 'P': fields.Position = ToNumber(value); break;
            case 'p': fields.InternalPosition = ToNumber(value); break;
            case 'q': fields.InternalQuery = value; break;
            case 'W': fields.Where = value; break;
            case 's': fields.SchemaName = value; break;
            case 't': fields.TableName = value; break;
            case 'c': fields.ColumnName = value; break;
            case 'd': fields.DataTypeName = value; break;
            case 'n': fields.ConstraintName = value; break;
            case 'F': fields.File = value; break;
            case 'L': fields.Line = value; break;
            case 'R': fields.Routine = value; break;
        }
    }

    private static int ToNumber(string value) => int.TryParse(value, out var number) ? number : 0;
}
