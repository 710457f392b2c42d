namespace Catalog;

internal sealed class Product
{
    public Product()
    {
    }

    public Product(int id, string name, decimal price, string[] tags) => (Id, Name, Price, Tags) = (id, name, price, tags);

    public int Id { get; set; }

    public string Name { get; set; } = "";

    public decimal Price { get; set; }

    public string[] Tags { get; set; } = [];
}

internal sealed class Order
{
    public int Id { get; set; }

    public List<Product> Products { get; } = [];
}
