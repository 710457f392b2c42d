namespace Loxo.Transport;

/// <summary>Something that the watch of a <see cref="LoopCrew"/> looks at again and again.</summary>
internal interface IWatched
{
    /// <summary>Looks whether something is to be done.</summary>
    /// <returns>Whether to look again.</returns>
    bool Look();
}
