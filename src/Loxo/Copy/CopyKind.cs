namespace Loxo.Copy;

/// <summary>What a caller wants to copy.</summary>
internal enum CopyKind : byte
{
    BinaryImport,
    BinaryExport,
    TextImport,
    TextExport,
    RawBinary,
}
