namespace ChangeCapture;

internal sealed record Product(string Name, decimal Price);
