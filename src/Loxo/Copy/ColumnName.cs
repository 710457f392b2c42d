namespace Loxo.Copy;

/// <summary>How names of columns are compared with names of .NET.</summary>
internal static class ColumnName
{
    /// <summary>Whether they differ in case and underscores alone, as <c>OrderId</c> and <c>order_id</c> do.</summary>
    public static bool IsSimilar(string one, string other) => Simplified(one) == Simplified(other);

    private static string Simplified(string name) => name.Replace("_", "", StringComparison.Ordinal).ToUpperInvariant();
}
