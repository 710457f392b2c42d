namespace Loxo.Settings;

/// <summary>How many slips of the finger lie between two words: a letter too many, missing, wrong, or swapped with its neighbour.</summary>
internal static class EditDistance
{
    public static int Between(string left, string right)
    {
        var distances = new int[left.Length + 1, right.Length + 1];
        for (var i = 0; i <= left.Length; i++)
        {
            for (var j = 0; j <= right.Length; j++)
                distances[i, j] = i == 0 || j == 0 ? i + j : Step(distances, left, right, i, j);
        }
        return distances[left.Length, right.Length];
    }

    private static int Step(int[,] distances, string left, string right, int i, int j)
    {
        var same = Same(left[i - 1], right[j - 1]);
        var best = Math.Min(Math.Min(distances[i - 1, j], distances[i, j - 1]) + 1, distances[i - 1, j - 1] + (same ? 0 : 1));
        var swapped = i > 1 && j > 1 && Same(left[i - 1], right[j - 2]) && Same(left[i - 2], right[j - 1]);
        return swapped ? Math.Min(best, distances[i - 2, j - 2] + 1) : best;
    }

    private static bool Same(char left, char right) => char.ToUpperInvariant(left) == char.ToUpperInvariant(right);
}
