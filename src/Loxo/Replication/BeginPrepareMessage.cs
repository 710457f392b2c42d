namespace Loxo;

/// <summary>A transaction follows that has been prepared.</summary>
public sealed class BeginPrepareMessage : PrepareMessageBase
{
    internal BeginPrepareMessage()
    {
    }
}
