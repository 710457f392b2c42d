namespace Loxo.Fortunes;

/// <summary>Takes the rows from memory.</summary>
internal sealed class MemoryFortunes : FortuneSource
{
    public override ValueTask<List<Fortune>> ReadAsync()
    {
        var fortunes = new List<Fortune>();
        for (var i = 0; i < FortuneData.Messages.Length; i++)
            fortunes.Add(new Fortune(i + 1, FortuneData.Messages[i]));
        return new(fortunes);
    }
}
