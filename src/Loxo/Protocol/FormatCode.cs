namespace Loxo.Protocol;

/// <summary>How a value is written on the wire (manual, "Formats and Format Codes").</summary>
internal enum FormatCode : short
{
    Text = 0,
    Binary = 1,
}
